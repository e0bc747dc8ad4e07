/* Drawings of curves as SVG, one panel or two below each other: for Campbell diagrams and Bode
 * data.
 */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 300, LEFT = 70, RIGHT = 20, TOP = 20, BOTTOM = 46, TICKS = 6 };

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000", "#7f7f7f"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

typedef struct range {
    double low, high;
} range;

static double scaled(double x, bool logarithmic) { return logarithmic ? log10(x) : x; }

static range range_of(const nt_cli_panel *p, bool of_x, bool logarithmic)
{
    range r = {INFINITY, -INFINITY};
    for (int k = 0; k < p->n_curves; k++)
        for (int i = 0; i < p->n; i++) {
            double x = scaled(of_x ? p->x[i] : p->y[k][i], logarithmic);
            if (isfinite(x))
                r.low = fmin(r.low, x), r.high = fmax(r.high, x);
        }
    if (!(r.high > r.low))
        r.low = isfinite(r.low) ? r.low - 1 : 0, r.high = r.low + 2;
    return r;
}

/* 1, 2 or 5 times a power of ten; whole decades of a logarithmic axis. */
static double tick_of(range r, bool logarithmic)
{
    double rough = (r.high - r.low) / TICKS, power = pow(10, floor(log10(rough)));
    double step = rough / power < 2 ? 2 * power : rough / power < 5 ? 5 * power : 10 * power;
    return logarithmic ? fmax(1, round(step)) : step;
}

static void draw_axes(FILE *to, const nt_cli_panel *p, range x, range y, int top, bool last)
{
    double step = tick_of(x, p->log_x);
    int bottom = top + HEIGHT, right = WIDTH - RIGHT;
    fprintf(to, "<rect x='%d' y='%d' width='%d' height='%d' fill='none' stroke='#888'/>\n", LEFT,
            top, right - LEFT, HEIGHT);
    for (double t = ceil(x.low / step) * step; t <= x.high + 1e-9 * step; t += step) {
        double at = LEFT + (t - x.low) / (x.high - x.low) * (right - LEFT);
        fprintf(to, "<path d='M%.1f %d V%d' stroke='#ddd'/>\n", at, top, bottom);
        if (last)
            fprintf(to, "<text x='%.1f' y='%d' text-anchor='middle'>%g</text>\n", at, bottom + 16,
                    p->log_x                ? pow(10, t)
                    : fabs(t) < 1e-9 * step ? 0
                                            : t);
    }
    step = tick_of(y, p->log_y);
    for (double t = ceil(y.low / step) * step; t <= y.high + 1e-9 * step; t += step) {
        double at = bottom - (t - y.low) / (y.high - y.low) * HEIGHT;
        fprintf(to, "<path d='M%d %.1f H%d' stroke='#ddd'/>\n", LEFT, at, right);
        fprintf(to, "<text x='%d' y='%.1f' text-anchor='end'>%g</text>\n", LEFT - 6, at + 4,
                p->log_y                ? pow(10, t)
                : fabs(t) < 1e-9 * step ? 0
                                        : t);
    }
    fprintf(to, "<text transform='translate(16 %d) rotate(-90)' text-anchor='middle'>%s</text>\n",
            top + HEIGHT / 2, p->y_words);
    if (last)
        fprintf(to, "<text x='%d' y='%d' text-anchor='middle'>%s</text>\n", (LEFT + right) / 2,
                bottom + 36, p->x_words);
}

static void draw_panel(FILE *to, const nt_cli_panel *p, int top, bool last)
{
    range x = range_of(p, true, p->log_x), y = range_of(p, false, p->log_y);
    double margin = 0.04 * (y.high - y.low);
    y.low -= margin, y.high += margin;
    draw_axes(to, p, x, y, top, last);
    for (int k = 0; k < p->n_curves; k++) {
        bool drawn = false;
        fprintf(to, "<path fill='none' stroke='%s' stroke-width='1.6' d='", colours[k % COLOURS]);
        for (int i = 0; i < p->n; i++) {
            double a = scaled(p->x[i], p->log_x), b = scaled(p->y[k][i], p->log_y);
            if (!isfinite(a) || !isfinite(b)) {
                drawn = false;
                continue;
            }
            fprintf(to, "%c%.2f %.2f ", drawn ? 'L' : 'M',
                    LEFT + (a - x.low) / (x.high - x.low) * (WIDTH - RIGHT - LEFT),
                    top + HEIGHT - (b - y.low) / (y.high - y.low) * HEIGHT);
            drawn = true;
        }
        fputs("'/>\n", to);
    }
}

int nt_cli_draw(const char *path, const nt_cli_panel *panels, int n)
{
    FILE *to = fopen(path, "w");
    if (!to) {
        nt_cli_say("%s cannot be written: %s", path, strerror(errno));
        return NT_EXIT_IO;
    }
    nt_cli_part part = nt_cli_part_of(path);
    int height = n * (HEIGHT + TOP) + BOTTOM;
    fprintf(
        to,
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' "
        "font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
        WIDTH, height);
    for (int i = 0; i < n; i++)
        draw_panel(to, &panels[i], TOP + i * (HEIGHT + TOP), i == n - 1);
    fputs("</svg>\n", to);
    bool good = !ferror(to);
    if (fclose(to) == 0 && good)
        return NT_EXIT_DONE;
    nt_cli_say("%s cannot be written: %s", path, strerror(errno));
    nt_cli_take_back(&part);
    return NT_EXIT_IO;
}
