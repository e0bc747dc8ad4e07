/* Help on topics, and the manual pages and completions that are installed: all from the tables that
 * the command reads its arguments by. */
#include "cli/cli.h"

#include <string.h>

/* ---- topics --------------------------------------------------------------------------------- */

static const struct {
    const char *name, *text;
} help_topics[] = {
    {"units",
     "Units are SI everywhere: m, kg, s, N, N m, J, rad. An angle in degrees is written\n"
     "30*deg. Numbers carry no unit: `1.0 kg` is an error. Gravity is [0, 0, -9.80665] m/s^2\n"
     "unless the model says else.\n"},
    {"expressions",
     "Wherever the model file expects a number it accepts an expression of the parameters; forces\n"
     "also take t and quantities of the model (BODY.position.x, JOINT.angle, SPRING.length):\n\n"
     "  value: -k*(servo.angle - goal) - c*servo.rate\n"
     "  value: [\"norm(top.velocity)*top.velocity.x\", 0, 0]     quotes where commas stand in [ "
     "]\n\n"
     "Operators: or and not, < <= > >= == !=, + - * / ^. Functions and constants are listed at "
     "the\n"
     "end of docs/model-file.md. norm, dot and angle_between take vectors: BODY.velocity, [x, y, "
     "z],\n"
     "sums, differences, cross(v, w).\n"},
    {"quantities",
     "`quantities` gives expressions a name, for use in every expression and to be recorded:\n\n"
     "  quantities:\n"
     "    height_error: goal - body.position.z\n"
     "    control: 40*height_error - 5*body.velocity.z\n"
     "  forces: {lift: {type: force, on: body, value: [0, 0, control]}}\n"
     "  output: {record: [height_error, control]}\n"},
    {"records",
     "output.record names what a result holds. Of bodies: position, orientation, velocity,\n"
     "acceleration, angular_velocity, angular_acceleration, x_axis, y_axis, z_axis, euler_zyx "
     "(any\n"
     "sequence). Of joints: force, torque, angle, displacement, rate, position, "
     "relative_position,\n"
     "relative_velocity, rotation, relative_angular_velocity, power, energy. Of forces: force, "
     "torque,\n"
     "length, rate, tension (between points), angle, moment (about joints), displacement, thrust "
     "(along\n"
     "them), power, energy. Of contacts: force, torque, indentation, normal_force, "
     "friction_force,\n"
     "sliding_speed, spin_speed, power, energy. Of the model: energy, momentum, angular_momentum, "
     "constraint_drift,\n"
     "step_size. And every named quantity, and expressions of all these: norm(top.velocity).\n"
     "A wrong name is answered with those that there are.\n"},
    {"tables",
     "A file of numbers in columns is a function: table(NAME, x), table(NAME, x, COLUMN) of "
     "several\n"
     "columns with names in the first line, table(NAME, x, y) of a map:\n\n"
     "  tables:\n"
     "    curve: curve.csv                                          monotone cubics, ends held\n"
     "    path: {file: path.csv, interpolation: spline}             for a motion\n"
     "    road: {file: road.csv, interpolation: linear, beyond: periodic}\n"
     "    engine: {file: engine.csv, map: true, beyond: error}\n"},
    {"laws",
     "Forces by a law of one's own: `line_force` between two points (positive pulls) with its own\n"
     "NAME.length and NAME.rate; joint_torque and joint_force about and along a joint with "
     "NAME.angle,\n"
     "NAME.displacement, NAME.rate; force and torque on a body. Springs take stiffness, damping, "
     "free\n"
     "length and preload as numbers or expressions, act on one side (`only: tension`), and have "
     "stops\n"
     "(`limits`). `rope` runs over points of bodies and pulls only; `aerodynamic` is drag and "
     "lift.\n"},
    {"plugins", "An element type written in C (nutate/element.h, example tyre_plugin) is a library "
                "that exports\n"
                "`nutate_plugin`. --plugin FILE loads it; a model file alone never does. Then "
                "models may name its\n"
                "types, with parameters and sensitivities as of any other.\n"},
    {"methods",
     "nutate methods lists them; without one generalized-alpha integrates with equal steps.\n"
     "generalized-alpha-soi2 with a tolerance chooses its steps; rkmk-dop853 is the fastest for "
     "smooth\n"
     "models at tight tolerance; bdf for stiff ones; lie-newmark-4 for long runs of free bodies.\n"
     "docs/methods.md compares them by measurement.\n"},
};
enum { TOPICS = sizeof help_topics / sizeof help_topics[0] };

bool nt_cli_topic(const char *name, FILE *to)
{
    for (int i = 0; i < TOPICS; i++)
        if (strcmp(help_topics[i].name, name) == 0)
            return fputs(help_topics[i].text, to), true;
    return false;
}

void nt_cli_list_topics(char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < TOPICS && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", help_topics[i].name);
}

void nt_cli_topics(FILE *to)
{
    for (int i = 0; i < TOPICS; i++)
        fprintf(to, "%s%s", i ? ", " : "", help_topics[i].name);
}

/* ---- manual pages --------------------------------------------------------------------------- */

/* Text for troff: a backslash, and a dot or an apostrophe at the beginning of a line, would be
 * commands. */
static void man_text(const char *text, FILE *to)
{
    for (bool begins = true; *text; begins = *text++ == '\n') {
        if (begins && (*text == '.' || *text == '\''))
            fputs("\\&", to);
        if (*text == '-')
            fputs("\\-", to);
        else if (*text == '\\')
            fputs("\\e", to);
        else
            fputc(*text, to);
    }
}

static void man_options(const nt_cli_command *command, FILE *to)
{
    const char *word, *argument, *meaning;
    for (int i = 0; nt_cli_option_at(command, &i, &word, &argument, &meaning);) {
        fputs(".TP\n.B ", to);
        man_text(word, to);
        if (argument)
            fprintf(to, " \\fI%s\\fR", argument);
        fputc('\n', to);
        man_text(meaning, to);
        fputc('\n', to);
    }
}

/* When the text of the pages was written: year, month and day. */
#define MANUAL_DATE "2026-11-23"

static void man_command(const nt_cli_command *command, FILE *to)
{
    fprintf(to, ".TH NUTATE\\-%s 1 \"" MANUAL_DATE "\" \"nutate %s\"\n.SH NAME\nnutate\\-%s \\- ",
            command->name, nt_version(), command->name);
    man_text(command->summary, to);
    fprintf(to, "\n.SH SYNOPSIS\n.B nutate %s\n%s [OPTION]...\n.SH DESCRIPTION\n", command->name,
            command->operand);
    man_text(command->text, to);
    fputs("\n.SH OPTIONS\n", to);
    man_options(command, to);
    fputs(".SH SEE ALSO\n.BR nutate (1)\n", to);
}

void nt_cli_man(const nt_cli_command *commands, int n, const nt_cli_command *command, FILE *to)
{
    if (command) {
        man_command(command, to);
        return;
    }
    fprintf(
        to,
        ".TH NUTATE 1 \"" MANUAL_DATE "\" \"nutate %s\"\n.SH NAME\n"
        "nutate \\- time integration of mechanisms with large rotations\n.SH SYNOPSIS\n"
        ".B nutate\nCOMMAND ...\n.SH DESCRIPTION\nReads models of bodies, joints and forces from "
        "YAML files and computes how they move.\n.SH COMMANDS\n",
        nt_version());
    for (int i = 0; i < n; i++) {
        fprintf(to, ".TP\n.B %s %s\n", commands[i].name, commands[i].operand);
        man_text(commands[i].summary, to);
        fprintf(to, "; see\n.BR nutate\\-%s (1)\n", commands[i].name);
    }
    for (int i = 0; i < TOPICS; i++) {
        fprintf(to, ".SH %s\n.nf\n", help_topics[i].name);
        man_text(help_topics[i].text, to);
        fputs(".fi\n", to);
    }
}

/* ---- completion ----------------------------------------------------------------------------- */

static void completion_words(const nt_cli_command *command, FILE *to)
{
    const char *word, *argument, *meaning, *last = "";
    for (int i = 0; nt_cli_option_at(command, &i, &word, &argument, &meaning); last = word)
        if (strcmp(word, last) != 0)
            fprintf(to, " %s", word);
}

/* What an option takes where that is one of a few words. */
static const struct {
    const char *option, *words;
} option_words[] = {
    {"--method", "$(nutate methods | awk '{print $1}')"},
    {"--frame", "inertial body se3"},
    {"--solver", "auto dense block klu"},
    {"--of", "run static modes orbit"},
    {"--about", "static initial steady"},
    {"--engine", "threads parallel slurm"},
    {"--window", "none hann flat-top"},
    {"--part", "blade rotor turbine"},
};

static void completion_values(FILE *to)
{
    fputs("    case ${COMP_WORDS[COMP_CWORD-1]} in\n", to);
    for (int i = 0; i < (int)(sizeof option_words / sizeof option_words[0]); i++)
        fprintf(to, "    %s) COMPREPLY=($(compgen -W \"%s\" -- \"$word\")); return ;;\n",
                option_words[i].option, option_words[i].words);
    fputs("    esac\n", to);
}

/* After these commands come names, no files. */
static void completion_names(FILE *to)
{
    fputs("    case ${COMP_WORDS[1]} in\n"
          "    new) words+=\" $(nutate new | awk '{print $1}')\" ;;\n"
          "    methods) words+=\" $(nutate methods | awk '{print $1}')\" ;;\n"
          "    papers) words+=\" $(nutate papers | awk '/^[a-z]/ {print $1}')\" ;;\n"
          "    import) files=yes; [ \"$COMP_CWORD\" = 2 ] && files= && words+=\" windio beamdyn\" "
          ";;\n"
          "    help | schema) ;;\n"
          "    *) files=yes ;;\n"
          "    esac\n",
          to);
}

/* zsh takes the completion of bash by its own bridge. There the file is the body of _nutate until
 * it has run, so that the first word to complete is answered at its end. */
void nt_cli_completion(const nt_cli_command *commands, int n, bool zsh, FILE *to)
{
    if (zsh)
        fputs("#compdef nutate\nautoload -U +X bashcompinit && bashcompinit\n", to);
    fputs("_nutate()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} words= files=\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n        words=\"help --help --version",
          to);
    for (int i = 0; i < n; i++)
        fprintf(to, " %s", commands[i].name);
    fputs("\"\n        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n        return\n    fi\n",
          to);
    completion_values(to);
    fputs("    case ${COMP_WORDS[1]} in\n    help) words=\"", to);
    for (int i = 0; i < TOPICS; i++)
        fprintf(to, "%s ", help_topics[i].name);
    for (int i = 0; i < n; i++)
        fprintf(to, "%s ", commands[i].name);
    fputs("man bash zsh\" ;;\n", to);
    for (int i = 0; i < n; i++) {
        fprintf(to, "    %s) words=\"", commands[i].name);
        completion_words(&commands[i], to);
        fputs("\" ;;\n", to);
    }
    fputs("    esac\n", to);
    completion_names(to);
    fputs("    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "    case $word in -*) ;; *) [ -z \"$files\" ] || "
          "COMPREPLY+=($(compgen -f -- \"$word\")) ;; esac\n}\n"
          "complete -o filenames -F _nutate nutate\n",
          to);
    if (zsh)
        fputs("[ \"$funcstack[1]\" != _nutate ] || _bash_complete -o filenames -F _nutate\n", to);
}
