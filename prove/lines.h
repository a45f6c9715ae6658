/* Lines for people, no wider than the terminal that they go to. */
#ifndef COLLSCOPE_PROVE_LINES_H
#define COLLSCOPE_PROVE_LINES_H

/* Columns of the terminal behind standard output; INT_MAX where that is not a terminal. */
int lines_columns(void);

/* Prints as printf does, and ends the line. What is too wide goes on in further lines, `indent` columns in; it breaks behind blanks
 * and commas. */
__attribute__((format(printf, 2, 3))) void lines_print(int indent, const char *format, ...);

#endif
