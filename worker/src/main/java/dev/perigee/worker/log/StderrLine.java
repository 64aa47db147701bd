package dev.perigee.worker.log;

import java.util.regex.Pattern;

/**
 * One line of standard error and what it is worth as an explanation, by the formats of the usual
 * runtimes: Node, Python, Java, .NET, Go, Rust, Ruby, Perl, shells, npm, pip and uv. Pure.
 *
 * @param text the line for people, without control characters and indentation
 * @param kind what it is worth
 * @param indented whether it is a detail of a line above it
 * @param npm whether it is npm's own error
 */
record StderrLine(String text, Kind kind, boolean indented, boolean npm) {

    enum Kind {
        /** Surrounds an explanation: a stack frame, source text, properties, hints, versions. */
        NOISE,
        /** Points at a column of the line above it; the next line is an explanation. */
        CARET,
        /** An explanation by its form. */
        HEADLINE,
        /** The same, but of one who ran the program that failed, or without a cause. */
        SUMMARY,
        /** Perhaps an explanation, by its words. */
        SUSPECT,
        /** Anything else. */
        PLAIN
    }

    /**
     * How much of a line is looked at, in characters: some patterns take time with the square of
     * that, and a program may write what takes the most.
     */
    private static final int MAX_CHARS = 4 * 1024;

    /** Colours, titles and links of terminals. */
    private static final Pattern ESCAPE =
            Pattern.compile(
                    "\\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)?|[^\\[\\]])");

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\u2028\\u2029]");
    private static final Pattern NPM = Pattern.compile("^npm (?:error|ERR!)(?: |$)");

    /** What a Python exception group puts before the lines of each of its exceptions. */
    private static final Pattern GROUP_MARGIN = Pattern.compile("^ +(?:\\| ?|\\+ |\\+[+-]*-.*)");

    /** What uv puts before an explanation and before what follows from it. */
    private static final Pattern TREE_MARK = Pattern.compile("^(?:×|╰─▶) *");

    private static final Pattern CARET = Pattern.compile("[~ ]*\\^[~^ ]*");
    private static final Pattern NOISE =
            anyOf(
                    "at \\S.*",
                    "File \"[^\"]+\", line \\d+.*",
                    "\\.\\.\\. \\d+ (?:more|common frames).*",
                    "\\d+: (?:0x[0-9a-f]+ .*|[\\w<].*::.*)",
                    "\\S+\\.go:\\d+(?: \\+0x[0-9a-f]+)?",
                    "[\\[\\](){},;.+-]*",
                    "(?:node:|file://|/)\\S+:\\d+",
                    "throw \\w+;",
                    "Require stack:",
                    "- /.*",
                    "Node\\.js v\\d.*",
                    "\\(Use `node .*",
                    "Emitted 'error' event.*",
                    "(?:ERROR: +)?(?:Exception Group )?Traceback \\(most recent call last\\):",
                    "The above exception was .*",
                    "During handling of the above exception.*",
                    "note: .*RUST_BACKTRACE.*",
                    "stack backtrace:",
                    "goroutine \\d+ \\[.*",
                    "main\\.main\\(\\)",
                    "exit status \\d+",
                    "BEGIN failed--.*",
                    "Error: Could not create the Java .*",
                    "Error: A fatal exception has occurred.*",
                    "npm (?:warn|WARN|notice) .*",
                    "-+ Native stack trace -+",
                    "<--- .* --->");

    /** What surrounds an explanation of npm's. */
    private static final Pattern NPM_NOISE =
            anyOf(
                    "\\w*",
                    "(?:code|syscall|path|errno|dest|file|cwd|signal|command) .*",
                    "A complete log of.*",
                    "An unknown git error occurred",
                    "gyp (?:info|verb) .*");

    private static final Pattern HEADLINE =
            anyOf(
                    ".*?(?:Error|ERROR|error|Exception|Interrupt|Rejection)(?: \\[[\\w:]+\\])?:\\s+\\S.*",
                    "[\\w.]*(?:Error|Exception|Interrupt)",
                    "[^(]*\\([\\w:]*(?:Error|Exception)\\)",
                    "(?:panic|fatal|FATAL ERROR|Caused by): .+",
                    "Exception in thread .+",
                    "thread '.*?panicked at .+",
                    ".*: (?:command )?not found",
                    ".*: [Pp]ermission denied",
                    ".*: No such file or directory",
                    ".*: No module named \\S+",
                    ".*?: can't open file .*",
                    ".*?: cannot execute.*",
                    ".*: Exec format error",
                    "Can't locate \\S+ in @INC.*",
                    "(?:\\S+: )?(?:[Bb]ad|[Uu]nknown|[Ii]llegal|[Ii]nvalid|[Uu]nrecognized) option.*",
                    "[×╰].*");

    /** What script runners, servers and package managers say of a program that has said why. */
    private static final Pattern SUMMARY =
            anyOf(
                    ".*\\bexited with (?:exit )?(?:code|status) \\d+.*",
                    ".*\\b(?:[Cc]ommand|[Ss]cript) failed with exit code \\d+.*",
                    ".*\\bLifecycle script .* failed\\b.*",
                    ".*\\bApplication startup failed\\b.*",
                    "\\S+@\\S+ [\\w:-]+: `.*`",
                    "Exit status \\d+",
                    "(?:[\\d(\\[/]\\S* ){0,3}(?:\\w*Warning|[Ww]arn(?:ing)?|WARN(?:ING)?)\\b.*",
                    "\\[?AggregateError(?: \\[\\w+\\])?:? *\\]?(?: \\{)?");

    private static final Pattern SUSPECT =
            Pattern.compile(
                    "\\b(?:error|fatal|critical|exception|fail|failed|failure|cannot|can't|could not|unable"
                            + "|missing|must|required?|invalid|denied|refused|unauthorized|forbidden"
                            + "|not (?:found|set|defined|configured|given)|timed out)\\b",
                    Pattern.CASE_INSENSITIVE);

    /** The line as its program wrote it, of a longer one the beginning. */
    static StderrLine of(String line) {
        var clean = cleaned(line.length() > MAX_CHARS ? line.substring(0, MAX_CHARS) : line);
        var margin = GROUP_MARGIN.matcher(clean);
        if (margin.find()) {
            clean = clean.substring(margin.end());
        }
        var prefix = NPM.matcher(clean);
        boolean npm = prefix.find();
        var content = npm ? clean.substring(prefix.end()) : clean;
        var words = content.strip();
        var text = clean.strip();
        var mark = TREE_MARK.matcher(text);
        boolean marked = mark.find();
        return new StderrLine(
                marked ? text.substring(mark.end()) : text,
                kind(words, npm),
                content.startsWith(" ") && !marked,
                npm);
    }

    private static Kind kind(String words, boolean npm) {
        if (NOISE.matcher(words).matches() || (npm && NPM_NOISE.matcher(words).matches())) {
            return Kind.NOISE;
        }
        if (CARET.matcher(words).matches()) {
            return Kind.CARET;
        }
        boolean headline = HEADLINE.matcher(words).matches();
        if ((headline || npm) && SUMMARY.matcher(words).matches()) {
            return Kind.SUMMARY;
        }
        if (headline) {
            return Kind.HEADLINE;
        }
        return SUSPECT.matcher(words).find() ? Kind.SUSPECT : Kind.PLAIN;
    }

    /** The text without escape sequences; other control characters become spaces. */
    private static String cleaned(String text) {
        return CONTROL.matcher(ESCAPE.matcher(text).replaceAll("")).replaceAll(" ");
    }

    private static Pattern anyOf(String... patterns) {
        return Pattern.compile(String.join("|", patterns));
    }
}
