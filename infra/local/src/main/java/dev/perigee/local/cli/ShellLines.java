package dev.perigee.local.cli;

import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Lines of a person at a terminal, who can edit them and has a history, or of a pipe. */
interface ShellLines {
    /** Next line, null at the end. */
    @Nullable String next() throws IOException;

    /** Lines of standard input. */
    static ShellLines ofStandardInput() {
        System.setProperty("jdk.console", "jdk.internal.le"); // The one that lets people edit.
        return Optional.ofNullable(System.console())
                .filter(Console::isTerminal)
                .<ShellLines>map(console -> () -> console.readLine("perigee> "))
                .orElseGet(ShellLines::piped);
    }

    private static ShellLines piped() {
        var lines = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
        return lines::readLine;
    }
}
