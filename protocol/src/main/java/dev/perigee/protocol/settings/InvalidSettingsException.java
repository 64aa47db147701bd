package dev.perigee.protocol.settings;

import java.util.List;
import java.util.stream.Collectors;

/** Failure to read a configuration, with every problem of every source; never shows a secret. */
public final class InvalidSettingsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<SettingProblem> problems;

    InvalidSettingsException(String schemaName, List<SettingProblem> problems) {
        super(
                problems.stream()
                        .map(SettingProblem::toString)
                        .collect(
                                Collectors.joining(
                                        "\n  ",
                                        "The configuration of the "
                                                + schemaName
                                                + " is not valid:\n  ",
                                        "")));
        this.problems = List.copyOf(problems);
    }

    /** The problems, at least one, in the order in which they were found. */
    public List<SettingProblem> problems() {
        return problems;
    }
}
