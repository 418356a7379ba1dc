// SPDX-License-Identifier: GPL-2.0
/*
 * Almost all warnings begin with WARNING or BUG: WARN(), bad page, bad rss
 * counter, sleeping in atomic context, lockdep, KASAN, SLUB. Reading back the
 * kernel log finds them at any log level and with any console.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "log.h"

/**
 * ptebatch_warnings_begin() - mark the end of the kernel log
 * @log: returns the position
 *
 * Context: Any.
 */
void ptebatch_warnings_begin(struct kmsg_dump_iter *log)
{
	kmsg_dump_rewind(log);
	log->cur_seq = log->next_seq;
}

static bool is_warning(const char *line)
{
	static const char * const words[] = {
		"WARNING: ", "BUG: ", "BUG ",
		/* After these messages, lockdep is off. */
		"INFO: trying to register non-static key",
		"INFO: lockdep is turned off",
		"Disabling lock debugging",
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (strstarts(line, words[i]))
			return true;
	return false;
}

/**
 * ptebatch_warnings_found() - find warnings in the kernel log
 * @log: position from ptebatch_warnings_begin(); moves to the end of the log
 * @out: returns the warnings, one line each
 *
 * Context: Process context: reads lines to the stack.
 * Return: true if there is a warning after @log.
 */
bool ptebatch_warnings_found(struct kmsg_dump_iter *log, struct seq_buf *out)
{
	bool found = false;
	char line[192];
	char *text;
	size_t len;

	log->next_seq = U64_MAX;
	while (kmsg_dump_get_line(log, false, line, sizeof(line) - 1, &len)) {
		line[len] = '\0';
		/* Skip "[   12.345678] " and, if printed, the caller. */
		text = line;
		while (*text == '[' && strchr(text, ']'))
			text = skip_spaces(strchr(text, ']') + 1);
		if (!is_warning(text))
			continue;
		found = true;
		seq_buf_printf(out, "kernel log: %s", text);
		if (!strchr(text, '\n'))
			seq_buf_putc(out, '\n');
	}
	return found;
}

/**
 * ptebatch_print_lines() - print the lines of a failed check
 * @test: the case
 * @out: the lines; the call overwrites the buffer
 */
void ptebatch_print_lines(struct kunit *test, struct seq_buf *out)
{
	char *lines = (char *)seq_buf_str(out);
	char *line;

	while ((line = strsep(&lines, "\n")))
		if (*line)
			kunit_err(test, "%s\n", line);
}
