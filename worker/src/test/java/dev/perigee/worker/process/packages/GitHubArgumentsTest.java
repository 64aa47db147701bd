package dev.perigee.worker.process.packages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("PRO-107: arguments of a deployment from GitHub")
final class GitHubArgumentsTest {

    @ParameterizedTest
    @CsvSource({
        "github:owner/repo,                  github:owner/repo#abc123",
        "github:owner/repo#main,             github:owner/repo#abc123",
        "git+https://github.com/o/r.git,     git+https://github.com/o/r.git@abc123",
        "git+https://github.com/o/r@main,    git+https://github.com/o/r@abc123",
        "git+https://me@github.com/o/r,      git+https://me@github.com/o/r@abc123",
        "git+https://me@github.com/o/r@v1,   git+https://me@github.com/o/r@abc123",
        "git+https://github.com/o/r#subdirectory=x,    git+https://github.com/o/r@abc123#subdirectory=x",
        "git+https://github.com/o/r@v1#subdirectory=x, git+https://github.com/o/r@abc123#subdirectory=x",
        "git+https://github.com,             git+https://github.com@abc123",
        "git+ssh://git@github.com/o/r,       git+ssh://git@github.com/o/r",
        "https://github.com/o/r,             https://github.com/o/r",
        "--from=github:owner/repo,           --from=github:owner/repo",
        "-y,                                 -y"
    })
    void namesTheCommit(String argument, String expected) {
        assertThat(GitHubArguments.of("github", "abc123", List.of("x", argument)))
                .containsExactly("x", expected);
    }

    @Test
    void leavesOtherSourcesAlone() {
        var arguments = List.of("-y", "github:owner/repo", "git+https://github.com/o/r");

        assertThat(GitHubArguments.of("official", "abc123", arguments)).isEqualTo(arguments);
        assertThat(GitHubArguments.of(null, "abc123", arguments)).isEqualTo(arguments);
        assertThat(GitHubArguments.of("github", null, arguments)).isEqualTo(arguments);
        assertThat(GitHubArguments.of("github", " ", arguments)).isEqualTo(arguments);
    }
}
