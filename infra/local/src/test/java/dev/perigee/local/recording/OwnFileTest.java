package dev.perigee.local.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A file that gets its name when it is whole")
final class OwnFileTest {
    private static final OwnFile.Link NONE =
            (name, _) -> {
                throw new FileSystemException(name.toString(), null, "Operation not permitted");
            };

    @TempDir private Path folder;

    @Test
    @DisplayName("has it also on a file system without links")
    void withoutLinks() throws Exception {
        var file = folder.resolve("day");
        try (var own = new OwnFile(file)) {
            own.out().write("x".getBytes(StandardCharsets.UTF_8));
            own.publish(NONE);
        }
        assertThat(file).hasContent("x");
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    @DisplayName("does not take another's, with links or without")
    void taken() throws Exception {
        var file = Files.writeString(folder.resolve("day"), "another's");
        try (var own = new OwnFile(file)) {
            assertThatThrownBy(own::publish).isInstanceOf(FileAlreadyExistsException.class);
        }
        try (var own = new OwnFile(file)) {
            assertThatThrownBy(() -> own.publish(NONE))
                    .isInstanceOf(FileAlreadyExistsException.class);
        }
        assertThat(file).hasContent("another's");
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }
}
