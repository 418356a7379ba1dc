// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel warns in its log: WARN(), bad page states, counters that do not
 * balance when a mm goes away, sleeping in atomic context, lockdep, KASAN, SLUB.
 * Almost all of these begin with WARNING or BUG. Reading the log back finds
 * them, whatever the log level, the consoles and the configuration are.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "warnings.h"

/**
 * ptebatch_warnings_begin() - from here on
 * @log: marks the place
 *
 * Context: Any.
 */
void ptebatch_warnings_begin(struct kmsg_dump_iter *log)
{
	kmsg_dump_rewind(log);
	log->cur_seq = log->next_seq;
}

static bool is_complaint(const char *line)
{
	static const char * const words[] = {
		"WARNING: ", "BUG: ", "BUG ",
		/* After these, lockdep reports nothing more. */
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
 * ptebatch_warnings_found() - has the kernel complained?
 * @log: from ptebatch_warnings_begin(); moves to the end of the log
 * @out: gets the complaints, a line each
 *
 * Context: Process context: lines are read into the stack.
 * Return: whether there was one.
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
		/* Behind "[   12.345678] ", and the caller where printk says it. */
		text = line;
		while (*text == '[' && strchr(text, ']'))
			text = skip_spaces(strchr(text, ']') + 1);
		if (!is_complaint(text))
			continue;
		found = true;
		seq_buf_printf(out, "the kernel says: %s", text);
		if (!strchr(text, '\n'))
			seq_buf_putc(out, '\n');
	}
	return found;
}
