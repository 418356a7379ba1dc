// SPDX-License-Identifier: GPL-2.0
/*
 * Almost all warnings begin with WARNING or BUG: WARN(), bad page, bad rss
 * counter, sleeping in atomic context, lockdep, KASAN, SLUB. Others are error
 * messages: reports.h lists them. Reading back the kernel log finds them at any
 * log level and with any console.
 */
#include <linux/ctype.h>
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

/*
 * Does the line begin like the pattern? "*" stands for any text, and for a text
 * without spaces at the beginning of the pattern, where @first is true.
 */
static bool matches(const char *line, const char *pattern, bool first)
{
	for (; *pattern; line++, pattern++, first = false) {
		if (*pattern == '*') {
			while (*line && !(first && isspace(*line)))
				if (matches(line++, pattern + 1, false))
					return true;
			return false;
		}
		if (*line != *pattern)
			return false;
	}
	return true;
}

static const struct {
	const char *pattern, *file;
} reports[] = {
#define REPORT(pattern, file) { pattern, file }
#include "reports.h"
#undef REPORT
};

static bool is_report(const char *line)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reports); i++)
		if (matches(line, reports[i].pattern, true))
			return true;
	return false;
}

/* The report in a line of the log, or %NULL: skips the time and the caller. */
static const char *find_report(const char *line)
{
	while (!is_report(line)) {
		if (*line != '[' || !strchr(line, ']'))
			return NULL;
		line = skip_spaces(strchr(line, ']') + 1);
	}
	return line;
}

/* Mark the expected reports that the line matches. */
static bool is_expected(const char *line, const char * const *expected,
			unsigned long *seen)
{
	unsigned int i;
	bool is = false;

	for (i = 0; expected && expected[i]; i++) {
		if (!matches(line, expected[i], true))
			continue;
		*seen |= BIT(i);
		is = true;
	}
	return is;
}

/**
 * ptebatch_warnings_found() - find warnings and error reports in the kernel log
 * @log: position from ptebatch_warnings_begin(); moves to the end of the log
 * @expected: patterns as in reports.h of the reports that must be in the log, up
 *            to a %NULL; or %NULL if there must be none
 * @out: returns the reports that are not expected and the expected ones that
 *       are missing, one line each
 *
 * Context: Process context: reads lines to the stack.
 * Return: true if the reports after @log are not the expected ones.
 */
bool ptebatch_warnings_found(struct kmsg_dump_iter *log,
			     const char * const *expected, struct seq_buf *out)
{
	unsigned long seen = 0;
	bool found = false;
	const char *text;
	char line[192];
	unsigned int i;
	size_t len;

	log->next_seq = U64_MAX;
	while (kmsg_dump_get_line(log, false, line, sizeof(line) - 1, &len)) {
		line[len] = '\0';
		text = find_report(line);
		if (!text)
			continue;
		if (is_expected(text, expected, &seen)) {
			/* tests/results/reports.py reads this, make mutation too. */
			pr_notice("expected report: %s", text);
			continue;
		}
		found = true;
		seq_buf_printf(out, "kernel log: %s", text);
		if (!strchr(text, '\n'))
			seq_buf_putc(out, '\n');
	}
	for (i = 0; expected && expected[i]; i++) {
		if (seen & BIT(i))
			continue;
		found = true;
		seq_buf_printf(out, "kernel log: no report \"%s\"\n", expected[i]);
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
