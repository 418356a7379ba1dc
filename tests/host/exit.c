// SPDX-License-Identifier: GPL-2.0
/*
 * $(exit FILE) for GNU make: ends make with the status that FILE holds, unless it is 0, and removes FILE.
 * Without it every failure of a recipe is make's own exit status 2, and 1 would be lost.
 */
#include <stdio.h>
#include <stdlib.h>

/* Declared as in <gnumake.h>, which not every package of make contains. */
typedef char *(*gmk_func_ptr)(const char *nm, unsigned int argc, char **argv);
extern void gmk_add_function(const char *name, gmk_func_ptr func, unsigned int min_args, unsigned int max_args,
			     unsigned int flags);

int plugin_is_GPL_compatible;

int exit_gmk_setup(void);

static char *exit_with(const char *name, unsigned int argc, char **argv)
{
	FILE *file = fopen(argv[0], "r");
	int status = 0;

	(void)name;
	(void)argc;
	if (file) {
		if (fscanf(file, "%d", &status) != 1)
			status = 2;
		fclose(file);
		remove(argv[0]);
	}
	if (status)
		exit(status);
	return NULL;
}

int exit_gmk_setup(void)
{
	gmk_add_function("exit", exit_with, 1, 1, 0);
	return 1;
}
