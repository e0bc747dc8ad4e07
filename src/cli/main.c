/* nutate: time integration of mechanisms with large rotations. */
#include "cli/cli.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const nt_cli_command commands[] = {
    {"run", "MODEL", "mfhtsjolnveurigq", NULL, "integrate a model and write the result",
     "Integrates the mechanism of a model file and writes what its `output` section names.\n"
     "The summary goes to standard error. Exit status: 0 done, 130 interrupted, 2 wrong use\n"
     "or bad model, 3 the computation failed, 4 input or output failed, a reader that closed\n"
     "its pipe included; after 130 and 3 the result holds everything up to there. A run that\n"
     "was interrupted or killed goes on with --resume.",
     nt_cli_run},
    {"sens", "MODEL", "mfhtsjo4BMpcblnveurigqPFANKT", NULL,
     "the same with derivatives of the result in parameters",
     "Integrates as run does and carries along how every result changes with parameters of the\n"
     "model: exact derivatives of the computed motion, not differences. In the result each column\n"
     "is followed by its derivatives, d(top.position.x)/d(m); the objectives of the model and\n"
     "their derivatives are in the summary. Where steps are variable, their sizes count as given\n"
     "numbers that no parameter changes. Exit status as of run; with --check 3 where a\n"
     "derivative disagrees with differences of whole runs.",
     nt_cli_sensitivities},
    {"orbit", "MODEL", "mfsjolniPFANKTGq", ".orbit.csv",
     "find a periodic motion and whether it is stable",
     "Finds a motion that repeats after a period, up to what --advance names, near the initial\n"
     "state of the model or near where a run from it is --after a while; and its Floquet\n"
     "multipliers: what a period makes of disturbances. Writes the motion over one period, and\n"
     "the multipliers beside it (OUTPUT.multipliers.csv); or with --along a row for each orbit\n"
     "of a path, folds and period doublings among them. Exit status: 0 done, 130 interrupted, 2\n"
     "wrong use or bad model, 3 no orbit was found or a path could not be followed to its end,\n"
     "4 input or output failed.",
     nt_cli_orbit},
    {"check", "MODEL", "mfsjliq", NULL, "read and assemble a model, count its degrees of freedom",
     "Reads, validates and assembles a model, counts its degrees of freedom, names redundant\n"
     "equations, checks the method and its options, and without --quiet estimates from a tenth of\n"
     "a second of steps what a run takes; of bdf, where that is more than a second, it also tries\n"
     "whether formulas of low order get further. Writes nothing.",
     nt_cli_check},
    {"new", "[KIND]", "J", NULL, "write a model to begin with",
     "Writes a commented model of a KIND that runs as it is: pendulum, linkage, suspension, "
     "motor,\n"
     "top or trajectory. Without KIND lists them. A file that exists is left as it is. Exit\n"
     "status: 0 done, 2 wrong use, 4 the file exists or cannot be written.",
     nt_cli_new},
    {"modes", "MODEL", "BVMpconsjq", NULL, "frequencies and shapes about a state, over a parameter",
     "Finds frequencies, damping ratios and shapes of small motions about the state of rest, the\n"
     "initial state or the steady motion of the model's section `steady`, and says in words what\n"
     "moves in each. Writes a row for each mode: mode,frequency,damping_ratio (Hz), the shape of\n"
     "every body as real and imaginary parts, eigenvalue, residual, participation factors and\n"
     "effective masses; with --param derivatives of eigenvalues and shapes behind them, which\n"
     "--check compares with differences. With --over modes are followed by their shapes over\n"
     "values of a parameter: a row for each value, with the columns mode1.frequency and so on,\n"
     "and a Campbell diagram with -o FILE.svg. Exit status: 0 done, 130 interrupted, 2 wrong use\n"
     "or bad model, 3 there is no such state, modes were not found or a derivative is wrong,\n"
     "4 input or output failed.",
     nt_cli_modes},
    {"linearise", "MODEL", "BaXH0mfhsjqn", NULL,
     "matrices and transfer functions of a linear model",
     "Writes the linear model about the state of rest, the initial state or a steady motion, or "
     "at\n"
     "given times of a run: mass, damping and stiffness of all velocities, constraint rows, and\n"
     "x' = A x + B u, y = C x + D u + D1 u' + D2 u'' in independent coordinates for the inputs "
     "named\n"
     "and what the `output` section records. -o FILE.nc is NetCDF (a row for each time), FILE.mtx\n"
     "MatrixMarket (FILE.A.mtx and so on); with --bode FILE.csv holds transfer functions, "
     "FILE.svg\n"
     "draws them. Exit status as of modes.",
     nt_cli_linearise},
    {"static", "MODEL", "123solnijq", ".static.csv",
     "where a model rests, also along a path of loads",
     "Finds the static state that is nearest to the placement of a model file and writes what its\n"
     "`output` section names, one row; or follows a path of static states (--along, "
     "--arc-length),\n"
     "a row for each point. The summary says whether the state is stable, and in which direction\n"
     "the model is softest. What is held is said by the section `static` of the model. Without -o\n"
     "the result goes to MODEL with .static.csv in place of .yaml. Exit\n"
     "status: 0 done, 130 interrupted, 2 wrong use, bad model, or one that can move freely, 3 no\n"
     "state was found, 4 input or output failed; after 130 and 3 the points before are written.",
     nt_cli_static_state},
    {"methods", "[NAME]", "", NULL, "list the methods, or what one needs and its options",
     "Lists the methods; with NAME what that method needs, its options and its source.",
     nt_cli_methods},
    {"convert", "RESULT", "w", NULL, "write a result in the other format",
     "Reads a result and writes it as FILE: NetCDF as the CSV of the same run, byte for byte, or\n"
     "CSV as NetCDF, which then knows neither units nor how the result was made. Also of a run\n"
     "that is still going on, as far as it has come. Exit status: 0 done, 2 wrong use, 4 input\n"
     "or output failed.",
     nt_cli_convert},
    {"import", "windio|beamdyn FILE...", "69q", NULL, "a model from a wind turbine's files",
     "Reads the structure of a wind turbine, windIO of version 1 or 2, or of a blade, BeamDyn's "
     "two\n"
     "files, and writes a model with beams. Says which stations are no sections and what it did\n"
     "about them. Exit status: 0 done, 2 wrong use or bad file, 4 input or output failed.",
     nt_cli_import},
    {"spectrum", "RESULT", "RyxZ", NULL, "amplitudes over frequency of columns of a result",
     "Reads columns of a result whose rows are equally far apart in time and writes the "
     "amplitudes\n"
     "of the vibrations in them, a row for each frequency from 0 (their mean) to half the rate of\n"
     "the rows: a sine of amplitude a gives a line of a. Frequencies are 1/T apart, T the length\n"
     "of what is read. Exit status: 0 done, 2 wrong use, 4 input or output failed.",
     nt_cli_spectrum},
    {"report", "RESULT...", "WUq", NULL, "a page that shows results in a browser, or glTF or VTK",
     "Writes one HTML file that shows a result in any browser, without a network: the motion, "
     "plots,\n"
     "a summary, the account of errors, derivatives, tables beside the result (events, modes) and\n"
     "the model. Several results of one mechanism are laid over each other, with their "
     "differences.\n"
     "Or writes the motion for other programs: FILE.glb (glTF 2.0: Blender, slides, browsers), or\n"
     "FILE.pvd with a folder of frames (VTK: ParaView).\n"
     "Also of a run that is still going on or was killed, as far as it has come; of CSV without\n"
     "motion. Exit status: 0 done, 2 wrong use, 4 input or output failed.",
     nt_cli_report},
    {"plot", "RESULT... NAME...", "[]_yxq", NULL, "a figure of columns of results, for print",
     "Draws columns of one or more results (FILE.nc, FILE.csv) over time, by gnuplot, as SVG, PDF\n"
     "or PNG. A NAME is a column, top.position.z, or a quantity with all of its columns,\n"
     "top.position. Curves of one unit share a panel. Lines break where an angle wraps and where "
     "a\n"
     "value is no number. Several results are laid over each other, with a dash for each. With -x\n"
     "the curves are drawn over another column, with --spectrum as amplitudes over frequency.\n"
     "Exit status: 0 done, 2 wrong use, 4 input or output failed.",
     nt_cli_plot},
    {"sweep", "[PLAN]", "DCkOYQL5ES87jq", NULL, "run a model many times, as a plan says",
     "Runs a model for each row of a PLAN: parameters and other keys over grids, lists, random\n"
     "numbers and Sobol's sequence (docs/sweep.md). Rows go to a folder, safe from whatever ends\n"
     "the command: with --resume it goes on. A row that fails is kept as such. Exit status: 0\n"
     "done, 130 interrupted, 2 wrong use, bad plan or model, 3 out of memory, 4 input or output\n"
     "failed; what was done before is kept.",
     nt_cli_sweep},
    {"papers", "[NAME]", "dq", NULL, "rerun a paper's tables and figures",
     "Without NAME lists the papers and what is rerun of each. With NAME prints its tables on\n"
     "standard output and writes data, gnuplot's scripts and pictures (SVG and PNG) into a\n"
     "folder. The papers' files are found beside the command, or in $NUTATE_PAPERS. Exit\n"
     "status 4 when gnuplot is not there to draw; data and scripts are written all the same.",
     nt_cli_papers},
    {"schema", "", "j", NULL, "print the JSON Schema of the model file",
     "Prints the JSON Schema of the model file, for editors that complete and check.",
     nt_cli_schema},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void usage(FILE *to)
{
    fputs("nutate: time integration of mechanisms with large rotations\n\n"
          "usage: nutate COMMAND ...\n\n",
          to);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-9s %-7s  %s\n", commands[i].name, commands[i].operand,
                commands[i].summary);
    fputs("\nnutate COMMAND --help explains a command, nutate help TOPIC one of: ", to);
    nt_cli_topics(to);
    fputs(".\nnutate --version says the version.\n", to);
}

static const nt_cli_command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS + 2] = {"--help", "--version"};
    char hint[80];
    for (int i = 0; i < COMMANDS; i++)
        names[i + 2] = commands[i].name;
    nt_cli_suggestion(name, names, COMMANDS + 2, hint, sizeof hint);
    nt_cli_say("there is no command '%s'%s (nutate --help lists them)", name, hint);
    return NT_EXIT_USAGE;
}

static int unknown_topic(const char *name)
{
    char topics[400] = "";
    nt_cli_list_topics(topics, sizeof topics);
    nt_cli_say(
        "there is no help on '%s', expected a command (nutate --help lists them) or one of %s",
        name, topics);
    return NT_EXIT_USAGE;
}

/* Help on a command or a topic; for man, bash and zsh what is installed, from the same tables. */
static int help(const char *name, const char *of)
{
    const nt_cli_command *command = name ? find_command(name) : NULL;
    if (name && strcmp(name, "man") == 0)
        nt_cli_man(commands, COMMANDS, of ? find_command(of) : NULL, stdout);
    else if (name && (strcmp(name, "bash") == 0 || strcmp(name, "zsh") == 0))
        nt_cli_completion(commands, COMMANDS, name[0] == 'z', stdout);
    else if (name && !command && !nt_cli_topic(name, stdout))
        return unknown_topic(name);
    else if (command)
        nt_cli_options_help(command, stdout);
    else if (!name)
        usage(stdout);
    return nt_cli_finish_output();
}

/* A closed pipe and a limit on files are told by the write that fails. Of standard streams that are
 * not there a result must not take the place: they are opened so that writing to them fails. */
static void prepare_streams(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != file)
            _exit(NT_EXIT_IO);
}

int main(int count, char **arguments)
{
    prepare_streams();
    nt_cli_signals_listen();
    if (count < 2) {
        usage(stderr);
        return NT_EXIT_USAGE;
    }
    const char *name = arguments[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return help(count > 2 ? arguments[2] : NULL, count > 3 ? arguments[3] : NULL);
    if (strcmp(name, "--version") == 0) {
        printf("nutate %s\n", nt_version());
        return nt_cli_finish_output();
    }
    const nt_cli_command *command = find_command(name);
    if (!command)
        return unknown_command(name);

    nt_cli_options options;
    int status = nt_cli_options_read(&options, command, count - 2, arguments + 2);
    options.command = arguments;
    if (status == NT_EXIT_DONE)
        status = options.help ? help(command->name, NULL) : command->run(&options);
    nt_cli_options_free(&options);
    return status;
}
