package dev.perigee.protocol.settings;

import java.util.List;
import java.util.stream.Collectors;

/** A configuration that cannot be used, with everything that is wrong with it. */
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

    public List<SettingProblem> problems() {
        return problems;
    }
}
