package dev.perigee.part;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The only way of a command's text to standard output or standard error, terminals or not: all of
 * it passes {@link VisibleText}, so that whatever a server or a record says is shown and not
 * obeyed. Only the styles of {@link Span} and an erased line reach a terminal as commands.
 */
public final class Printer {
    private static final String ERASE = "\r\033[K";

    private final PrintWriter writer;
    private final Ansi ansi;

    private Printer(PrintWriter writer, CommandSpec spec) {
        this.writer = writer;
        this.ansi = spec.commandLine().getColorScheme().ansi();
    }

    /** Prints on standard output. */
    public static Printer out(CommandSpec spec) {
        return new Printer(spec.commandLine().getOut(), spec);
    }

    /** Prints on standard error. */
    public static Printer err(CommandSpec spec) {
        return new Printer(spec.commandLine().getErr(), spec);
    }

    /** Lets commands print where another does, in its colours; gives them back. */
    public static CommandLine likewise(CommandLine commands, CommandSpec other) {
        return commands.setOut(other.commandLine().getOut())
                .setErr(other.commandLine().getErr())
                .setColorScheme(other.commandLine().getColorScheme());
    }

    /** Exactly one line. */
    public void line(String text) {
        print(VisibleText.line(text));
    }

    /** Exactly one line, in colour where the terminal takes it. */
    public void line(Span... spans) {
        var line = new StringBuilder();
        for (var span : spans) {
            line.append(styled(span));
        }
        print(line.toString());
    }

    /** A text that may have several lines. */
    public void block(String text) {
        print(VisibleText.block(text));
    }

    /** One JSON document, on one line. */
    public void json(String document) {
        print(VisibleText.json(document));
    }

    /** Writes over the line that the last call of this wrote. */
    public void rewrite(String text) {
        writer.print(ERASE + VisibleText.line(text));
        writer.flush();
    }

    /** Takes away what {@link #rewrite} wrote. */
    public void erase() {
        rewrite("");
    }

    private void print(String visible) {
        writer.println(visible);
        writer.flush();
    }

    private String styled(Span span) {
        var text = VisibleText.line(span.text());
        if (span.style().isEmpty() || !ansi.enabled()) {
            return text;
        }
        // The off code of bold means a double underline to many terminals, so all is reset.
        return Ansi.Style.on(Ansi.Style.parse(span.style())) + text + Ansi.Style.reset.on();
    }
}
