/* Every preflop matchup of two hold'em hands, enumerated: writes the table to standard output.
 *
 *     gcc -O3 -o equity_table equity_table.c && ./equity_table > matchups.bin
 *
 * Cards are numbered 4 * rank + suit, deuce to ace. A matchup's canonical form is the smallest
 * (a, b, c, d), a < b and c < d, over the 24 renamings of suits and both orders of the two hands.
 * One row for each of the 47,008 canonical forms, in ascending order: the boards, of 1,712,304, on
 * which {a, b} beats {c, d}, and those on which they tie; two 32-bit words, least byte first.
 *
 * Only one board of each of the 134,459 classes under renaming of suits is evaluated, and counts as
 * often as its class is large. That is wrong for one matchup and right for the sum over all
 * matchups of a canonical form; the program ends with an error if such a sum does not divide evenly.
 *
 * `./equity_table 4` writes only the rows of hands of the four lowest ranks, in a few seconds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CARDS = 52, HANDS = 1326, BOARDS = 1712304, MATCHUPS = 47008, CLASSES = 134459, BATCH = 64, RENAMINGS = 24 };

static int hand_card[HANDS][2], hand_of[CARDS][CARDS];
static int renaming[RENAMINGS][4];
static int straight_top[1 << 13];
static int32_t wins[HANDS][HANDS];
static int32_t score[BATCH][HANDS], weight[BATCH];
static int cards = CARDS, hands = HANDS; /* those of which matchups are made: the first ones */

static void fail(const char *what)
{
    fprintf(stderr, "equity_table: %s\n", what);
    exit(1);
}

/* --- ranking seven cards ----------------------------------------------------------------------- */

/* The `count` highest ranks of `ranks`, four bits each, highest first. */
static int32_t highest(int ranks, int count)
{
    int32_t value = 0;
    for (int rank = 12; count > 0; rank--)
        if (ranks >> rank & 1) {
            value = value << 4 | rank;
            count--;
        }
    return value;
}

static int top(int ranks)
{
    return 31 - __builtin_clz(ranks);
}

static int without(int ranks, int rank)
{
    return ranks & ~(1 << rank);
}

static int32_t ranked(int category, int32_t detail)
{
    return (int32_t)category << 20 | detail;
}

/* The strength of the best five of seven cards, given as four 13-bit sets of ranks, by suit. */
static int32_t strength(const int suits[4])
{
    int any = suits[0] | suits[1] | suits[2] | suits[3];
    int once = 0, twice = 0, thrice = 0, quads = 0;
    for (int suit = 0; suit < 4; suit++) {
        if (__builtin_popcount(suits[suit]) >= 5) {
            if (straight_top[suits[suit]])
                return ranked(8, straight_top[suits[suit]]);
            return ranked(5, highest(suits[suit], 5)); /* nobody with a flush has quads or a full house in seven cards */
        }
        quads |= thrice & suits[suit];
        thrice |= twice & suits[suit];
        twice |= once & suits[suit];
        once |= suits[suit];
    }
    if (quads)
        return ranked(7, top(quads) << 4 | top(without(any, top(quads))));
    if (thrice && without(twice, top(thrice)))
        return ranked(6, top(thrice) << 4 | top(without(twice, top(thrice))));
    if (straight_top[any])
        return ranked(4, straight_top[any]);
    if (thrice)
        return ranked(3, top(thrice) << 8 | highest(without(any, top(thrice)), 2));
    if (twice) {
        int pair = top(twice), rest = without(twice, pair);
        if (rest)
            return ranked(2, pair << 8 | top(rest) << 4 | top(without(without(any, pair), top(rest))));
        return ranked(1, pair << 12 | highest(without(any, pair), 3));
    }
    return highest(any, 5);
}

/* For each set of ranks the top of its best straight, 0 without one; the wheel's top is the five. */
static void prepare_straights(void)
{
    for (int ranks = 0; ranks < 1 << 13; ranks++) {
        int with_low_ace = ranks << 1 | ranks >> 12;
        for (int low = 0; low <= 9; low++)
            if ((with_low_ace >> low & 31) == 31)
                straight_top[ranks] = low + 3;
    }
}

/* --- hands, renamings, boards ------------------------------------------------------------------ */

static void prepare_hands(void)
{
    int hand = 0;
    for (int b = 0; b < CARDS; b++)
        for (int a = 0; a < b; a++, hand++) {
            hand_card[hand][0] = a;
            hand_card[hand][1] = b;
            hand_of[a][b] = hand_of[b][a] = hand;
        }
}

static void prepare_renamings(void)
{
    int count = 0;
    for (int code = 0; code < 256; code++) {
        int to[4] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6};
        if ((1 << to[0] | 1 << to[1] | 1 << to[2] | 1 << to[3]) == 15)
            memcpy(renaming[count++], to, sizeof to);
    }
}

static int renamed(int card, const int *to)
{
    return (card & ~3) | to[card & 3];
}

static uint64_t bit(int card)
{
    return (uint64_t)1 << card;
}

/* How many boards are `board` under some renaming, or 0 if it is not the smallest of them. */
static int class_size(const int board[5])
{
    uint64_t seen[RENAMINGS], own = 0;
    int size = 0;
    for (int i = 0; i < 5; i++)
        own |= bit(board[i]);
    for (int r = 0; r < RENAMINGS; r++) {
        uint64_t other = 0;
        int known = 0;
        for (int i = 0; i < 5; i++)
            other |= bit(renamed(board[i], renaming[r]));
        if (other < own)
            return 0;
        for (int i = 0; i < size; i++)
            known |= seen[i] == other;
        if (!known)
            seen[size++] = other;
    }
    return size;
}

/* --- counting ---------------------------------------------------------------------------------- */

/* Strengths of all hands on one board. A hand that the board blocks is stronger than any, so it loses to nobody. */
static void evaluate(const int board[5], int32_t *into)
{
    int suits[4] = {0, 0, 0, 0};
    uint64_t blocked = 0;
    for (int i = 0; i < 5; i++) {
        suits[board[i] & 3] |= 1 << (board[i] >> 2);
        blocked |= bit(board[i]);
    }
    for (int hand = 0; hand < hands; hand++) {
        int a = hand_card[hand][0], b = hand_card[hand][1];
        int seven[4] = {suits[0], suits[1], suits[2], suits[3]};
        seven[a & 3] |= 1 << (a >> 2);
        seven[b & 3] |= 1 << (b >> 2);
        into[hand] = blocked & (bit(a) | bit(b)) ? INT32_MAX : strength(seven);
    }
}

/* Adds to wins[i][j], for each board of a batch, its weight where hand i beats hand j. */
static void count(int boards)
{
    for (int i = 0; i < hands; i++)
        for (int at = 0; at < boards; at++) {
            const int32_t mine = score[at][i], many = weight[at];
            if (mine == INT32_MAX)
                continue;
            for (int j = 0; j < hands; j++)
                wins[i][j] += mine > score[at][j] ? many : 0;
        }
}

static void count_all_boards(void)
{
    int b[5], filled = 0, classes = 0;
    for (b[0] = 0; b[0] < CARDS; b[0]++)
        for (b[1] = b[0] + 1; b[1] < CARDS; b[1]++)
            for (b[2] = b[1] + 1; b[2] < CARDS; b[2]++)
                for (b[3] = b[2] + 1; b[3] < CARDS; b[3]++)
                    for (b[4] = b[3] + 1; b[4] < CARDS; b[4]++) {
                        int size = class_size(b);
                        if (!size)
                            continue;
                        classes++;
                        weight[filled] = size;
                        evaluate(b, score[filled++]);
                        if (filled == BATCH) {
                            count(filled);
                            filled = 0;
                        }
                    }
    count(filled);
    if (classes != CLASSES)
        fail("the boards do not fall into 134,459 classes");
}

/* --- matchups ---------------------------------------------------------------------------------- */

static uint32_t packed(int a, int b, int c, int d)
{
    int low = a < b ? a : b, high = a < b ? b : a, low2 = c < d ? c : d, high2 = c < d ? d : c;
    return (uint32_t)low << 18 | (uint32_t)high << 12 | (uint32_t)low2 << 6 | (uint32_t)high2;
}

/* Whether a matchup is its own canonical form; if so its row goes to standard output. */
static int write_if_canonical(int first, int second)
{
    const int *f = hand_card[first], *s = hand_card[second];
    uint32_t own = packed(f[0], f[1], s[0], s[1]);
    int64_t won = 0, lost = 0;
    for (int r = 0; r < RENAMINGS; r++) {
        const int *to = renaming[r];
        int a = renamed(f[0], to), b = renamed(f[1], to), c = renamed(s[0], to), d = renamed(s[1], to);
        if (packed(a, b, c, d) < own || packed(c, d, a, b) < own)
            return 0;
        won += wins[hand_of[a][b]][hand_of[c][d]];
        lost += wins[hand_of[c][d]][hand_of[a][b]];
    }
    if (won % RENAMINGS || lost % RENAMINGS)
        fail("a sum over the matchups of a canonical form does not divide evenly");
    uint32_t row[2] = {(uint32_t)(won / RENAMINGS), (uint32_t)(BOARDS - won / RENAMINGS - lost / RENAMINGS)};
    for (int word = 0; word < 2; word++)
        for (int byte = 0; byte < 4; byte++)
            putchar((int)(row[word] >> 8 * byte & 255));
    return 1;
}

static void write_table(void)
{
    int rows = 0;
    for (int a = 0; a < cards; a++)
        for (int b = a + 1; b < cards; b++)
            for (int c = 0; c < cards; c++)
                for (int d = c + 1; d < cards; d++)
                    if (c != a && c != b && d != a && d != b)
                        rows += write_if_canonical(hand_of[a][b], hand_of[c][d]);
    if (cards == CARDS && rows != MATCHUPS)
        fail("there are not 47,008 matchups");
}

int main(int given, char **arguments)
{
    if (given > 1) {
        int ranks = atoi(arguments[1]);
        if (ranks < 1 || ranks > 13)
            fail("expected the number of ranks, 1 to 13");
        cards = 4 * ranks;
        hands = cards * (cards - 1) / 2;
    }
    prepare_straights();
    prepare_hands();
    prepare_renamings();
    count_all_boards();
    write_table();
    return fflush(stdout) || ferror(stdout);
}
