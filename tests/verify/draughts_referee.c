/* A second referee of English draughts, on a plain 8 x 8 array, written from the rules and from nothing of ours.

     referee perft N     leaves of the tree of legal moves from the start, for each depth 1 to N, one a line
     referee moves       for each line of the input, a side to move (b, w) and 32 squares (b w men, B W kings, .),
                         the legal moves in the order of their texts, with a space between them

   A capture is told by its whole path, so two ways round to one square are two moves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOVES_MAX = 512, PATH_MAX = 16 };

typedef struct { signed char length, row[PATH_MAX], column[PATH_MAX]; } Move;
typedef struct { char text[4 * PATH_MAX]; } Told;
typedef struct { char at[8][8]; } Board;

static Move found[32][MOVES_MAX];

static int number(int row, int column) { return row * 4 + column / 2 + 1; }

static int inside(int row, int column) { return row >= 0 && row < 8 && column >= 0 && column < 8; }

static int belongs(char piece, char side) { return side == 'b' ? piece == 'b' || piece == 'B' : piece == 'w' || piece == 'W'; }

static char other(char side) { return side == 'b' ? 'w' : 'b'; }

static int may_go(char piece, int step) {
  if (piece == 'B' || piece == 'W') return 1;
  return piece == 'b' ? step > 0 : step < 0;
}

static void set_square(Board *board, int square, char piece) {
  int row = (square - 1) / 4, place = (square - 1) % 4;
  board->at[row][row % 2 ? 2 * place : 2 * place + 1] = piece;
}

static int jumps(Board *board, char piece, char side, Move *way, Move *list, int count) {
  int went_on = 0, row = way->row[way->length - 1], column = way->column[way->length - 1];
  for (int down = -1; down <= 1; down += 2)
    for (int right = -1; right <= 1; right += 2) {
      int to_row = row + 2 * down, to_column = column + 2 * right;
      if (!may_go(piece, down) || !inside(to_row, to_column)) continue;
      char taken = board->at[row + down][column + right];
      if (!belongs(taken, other(side)) || board->at[to_row][to_column] != '.') continue;
      went_on = 1;
      board->at[row + down][column + right] = '.';
      way->row[way->length] = to_row;
      way->column[way->length++] = to_column;
      if (to_row == (piece == 'b' ? 7 : piece == 'w' ? 0 : -1)) list[count++] = *way;
      else count = jumps(board, piece, side, way, list, count);
      way->length--;
      board->at[row + down][column + right] = taken;
    }
  if (!went_on && way->length > 1) list[count++] = *way;
  return count;
}

static int legal(Board *board, char side, Move *list) {
  int count = 0;
  for (int row = 0; row < 8; row++)
    for (int column = 0; column < 8; column++) {
      char piece = board->at[row][column];
      if (!belongs(piece, side)) continue;
      Move way = {1, {row}, {column}};
      board->at[row][column] = '.';
      count = jumps(board, piece, side, &way, list, count);
      board->at[row][column] = piece;
    }
  if (count) return count;
  for (int row = 0; row < 8; row++)
    for (int column = 0; column < 8; column++) {
      char piece = board->at[row][column];
      if (!belongs(piece, side)) continue;
      for (int down = -1; down <= 1; down += 2)
        for (int right = -1; right <= 1; right += 2)
          if (may_go(piece, down) && inside(row + down, column + right) && board->at[row + down][column + right] == '.')
            list[count++] = (Move){2, {row, row + down}, {column, column + right}};
    }
  return count;
}

static Board played(const Board *board, const Move *move) {
  Board after = *board;
  int last = move->length - 1;
  char piece = after.at[move->row[0]][move->column[0]];
  after.at[move->row[0]][move->column[0]] = '.';
  for (int step = 0; step < last; step++)
    if (abs(move->row[step + 1] - move->row[step]) == 2)
      after.at[(move->row[step] + move->row[step + 1]) / 2][(move->column[step] + move->column[step + 1]) / 2] = '.';
  if (piece == 'b' && move->row[last] == 7) piece = 'B';
  if (piece == 'w' && move->row[last] == 0) piece = 'W';
  after.at[move->row[last]][move->column[last]] = piece;
  return after;
}

static long long perft(Board *board, char side, int depth) {
  Move *list = found[depth];
  int count = legal(board, side, list);
  if (depth == 1) return count;
  long long leaves = 0;
  for (int at = 0; at < count; at++) {
    Board after = played(board, &list[at]);
    leaves += perft(&after, other(side), depth - 1);
  }
  return leaves;
}

static int by_text(const void *one, const void *two) { return strcmp(((const Told *)one)->text, ((const Told *)two)->text); }

static void tell(Board *board, char side) {
  static Told told[MOVES_MAX];
  Move *list = found[0];
  int count = legal(board, side, list);
  for (int at = 0; at < count; at++) {
    Move *move = &list[at];
    int takes = abs(move->row[1] - move->row[0]) == 2, written = 0;
    for (int step = 0; step < move->length; step++)
      written += sprintf(told[at].text + written, "%s%d", step ? (takes ? "x" : "-") : "", number(move->row[step], move->column[step]));
  }
  qsort(told, count, sizeof *told, by_text);
  for (int at = 0; at < count; at++) printf("%s%s", at ? " " : "", told[at].text);
  printf("\n");
}

int main(int count, char **words) {
  Board board;
  char line[64];
  memset(board.at, '.', sizeof board.at);
  if (count == 3 && !strcmp(words[1], "perft")) {
    for (int square = 1; square <= 12; square++) {
      set_square(&board, square, 'b');
      set_square(&board, 33 - square, 'w');
    }
    for (int depth = 1; depth <= atoi(words[2]); depth++) printf("%lld\n", perft(&board, 'b', depth));
    return 0;
  }
  while (fgets(line, sizeof line, stdin)) {
    if (strlen(line) != 34) return 1;
    for (int square = 1; square <= 32; square++) set_square(&board, square, line[square]);
    tell(&board, line[0]);
  }
  return 0;
}
