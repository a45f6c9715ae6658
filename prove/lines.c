#include "prove/lines.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int lines_columns(void) {
  struct winsize size;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? INT_MAX : size.ws_col;
}

void lines_print(int indent, const char *format, ...) {
  char text[2048];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  int columns = lines_columns(), at = 0;
  for (const char *piece = text; *piece;) {
    int lead = (int)strspn(piece, " "), length = lead + (int)strcspn(piece + lead, " ,");
    if (piece[length] == ',') length++;
    if (at + length > columns && at > indent) {
      at = printf("\n%*s", indent, "") - 1;
      piece += lead;
      length -= lead;
    }
    at += printf("%.*s", length, piece);
    piece += length;
  }
  putchar('\n');
}
