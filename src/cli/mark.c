/* What stands beside a state while its run lasts: STATE.run, a file that the run has locked.
 *
 * The lock keeps other runs from saving to the same place. Until the first state stands the file
 * says how the run was begun; then it is empty, and at the end of the run it is gone. Where it is
 * found with words in it the run was killed before it had a state, and what is named STATE, if
 * anything, is an earlier one's: such a run goes on from its beginning. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char first_line[] = "nutate run\n", last_line[] = "begun\n";
enum { FIRST = sizeof first_line - 1, LAST = sizeof last_line - 1, LARGEST = 1 << 20 };

static int mark_open(const char *path)
{
    int file;
    do
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    while (file < 0 && errno == EINTR);
    return file;
}

/* Reads how the run before was begun, where that has left whole words. *is_mark: the file is empty
 * or was written here. Returns an exit status. */
static int mark_read(nt_cli_mark *mark, bool *is_mark)
{
    struct stat is;
    *is_mark = false;
    if (fstat(mark->file, &is) != 0 || !S_ISREG(is.st_mode) || is.st_size > LARGEST)
        return NT_EXIT_DONE;
    size_t size = (size_t)is.st_size;
    char *text = mark->text = malloc(size + 1);
    if (!text)
        return nt_cli_no_memory();
    ssize_t got;
    do
        got = pread(mark->file, text, size, 0);
    while (got < 0 && errno == EINTR);
    text[size] = '\0';
    *is_mark = got == (ssize_t)size && memcmp(text, first_line, size < FIRST ? size : FIRST) == 0;
    if (*is_mark && size >= FIRST + LAST && strcmp(text + size - LAST, last_line) == 0) {
        text[size - LAST] = '\0';
        mark->begun = text + FIRST;
    }
    return NT_EXIT_DONE;
}

static void mark_close(nt_cli_mark *mark)
{
    if (mark->file >= 0)
        close(mark->file);
    free(mark->path);
    free(mark->text);
    *mark = (nt_cli_mark){.file = -1};
}

int nt_cli_mark_hold(nt_cli_mark *mark, const char *state, bool *taken)
{
    struct stat opened, named;
    *taken = false;
    char *real = realpath(state, NULL); /* the file that a link leads to */
    mark->path = nt_cli_join(real ? real : state, ".run");
    free(real);
    if (!mark->path)
        return nt_cli_no_memory();
    for (;;) {
        mark->file = mark_open(mark->path);
        if (mark->file < 0) /* the place of the state itself is asked elsewhere */
            break;
        int locked = flock(mark->file, LOCK_EX | LOCK_NB);
        if (locked != 0 && errno == EINTR) {
            close(mark->file);
            continue;
        }
        *taken = locked != 0 && errno == EWOULDBLOCK;
        if (*taken || (fstat(mark->file, &opened) == 0 && stat(mark->path, &named) == 0 &&
                       opened.st_ino == named.st_ino && opened.st_dev == named.st_dev))
            break;
        close(mark->file); /* another run has ended meanwhile, and removed it */
    }
    bool is_mark = false;
    int status = mark->file >= 0 && !*taken ? mark_read(mark, &is_mark) : NT_EXIT_DONE;
    if (!is_mark)
        mark_close(mark);
    return status;
}

void nt_cli_mark_begin(nt_cli_mark *mark, const char *text)
{
    if (mark->file < 0)
        return;
    mark->ours = true;
    bool good = ftruncate(mark->file, 0) == 0 && lseek(mark->file, 0, SEEK_SET) == 0 &&
                (!text || (nt_cli_write_all(mark->file, first_line, FIRST) &&
                           nt_cli_write_all(mark->file, text, strlen(text)) &&
                           nt_cli_write_all(mark->file, last_line, LAST)));
    mark->words = good && text;
    if (!good && ftruncate(mark->file, 0) != 0)
        mark->words = false; /* half of it says nothing either */
}

void nt_cli_mark_saved(nt_cli_mark *mark)
{
    if (mark->words && ftruncate(mark->file, 0) == 0)
        mark->words = false;
}

void nt_cli_mark_let_go(nt_cli_mark *mark, bool can_go_on)
{
    struct stat is;
    bool empty = mark->file >= 0 && fstat(mark->file, &is) == 0 && is.st_size == 0;
    bool stays = (mark->words && can_go_on) || (!mark->ours && !empty);
    if (mark->file >= 0 && !stays)
        unlink(mark->path);
    mark_close(mark);
}
