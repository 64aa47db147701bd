package dev.perigee.local.cli;

import dev.perigee.local.backup.BackupException;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import java.util.List;
import java.util.Map;

/** Errors and tables that the commands over backups share. */
final class BackupFiles {
    private BackupFiles() {}

    static CliException explained(BackupException failure) {
        int code =
                switch (failure.kind()) {
                    case USAGE -> ExitCode.USAGE;
                    case UNAVAILABLE -> ExitCode.UNAVAILABLE;
                    case FAILED -> ExitCode.FAILED;
                };
        return new CliException(code, String.valueOf(failure.getMessage()));
    }

    static void table(Output output, Map<String, Long> records) {
        output.table(
                List.of("TOPIC", "RECORDS"),
                records.entrySet().stream()
                        .map(each -> List.of(each.getKey(), each.getValue().toString()))
                        .toList());
    }
}
