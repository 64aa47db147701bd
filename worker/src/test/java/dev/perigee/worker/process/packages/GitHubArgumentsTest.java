package dev.perigee.worker.process.packages;

import static dev.perigee.worker.process.isolation.ServerRuntime.NODE;
import static dev.perigee.worker.process.isolation.ServerRuntime.PYTHON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.json.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

@DisplayName("PRO-107: arguments of a deployment from GitHub")
final class GitHubArgumentsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '>',
            value = {
                // argument > of npm and npx > of uvx, uv and pip
                "github:o/r > github:o/r#abc > git+https://github.com/o/r@abc",
                "github:o/r#main > github:o/r#abc > git+https://github.com/o/r@abc",
                "github:o/r@v1 > github:o/r#abc > git+https://github.com/o/r@abc",
                "github:u:p@o/r > github:u:p@o/r#abc > git+https://u:p@github.com/o/r@abc",
                "git+https://github.com/o/r.git > git+https://github.com/o/r.git#abc > git+https://github.com/o/r.git@abc",
                "git+https://github.com/o/r@main > git+https://github.com/o/r#abc > git+https://github.com/o/r@abc",
                "git+https://github.com/o/r@a/b > git+https://github.com/o/r#abc > git+https://github.com/o/r@abc",
                "git+https://github.com/o/r#main > git+https://github.com/o/r#abc > git+https://github.com/o/r@abc",
                "git+https://github.com/o/r#semver:^1 > git+https://github.com/o/r#abc > git+https://github.com/o/r@abc",
                "git+https://github.com/o/r#main::path:x > git+https://github.com/o/r#abc::path:x > git+https://github.com/o/r@abc",
                "git+https://github.com/o/r#path:x > git+https://github.com/o/r#abc::path:x > git+https://github.com/o/r@abc",
                "git+https://me@github.com/o/r > git+https://me@github.com/o/r#abc > git+https://me@github.com/o/r@abc",
                "git+https://me@github.com/o/r@v1 > git+https://me@github.com/o/r#abc > git+https://me@github.com/o/r@abc",
                "git+https://h/@scope/r > git+https://h/@scope/r#abc > git+https://h/@scope/r@abc",
                "git+https://h/o/r#subdirectory=x > git+https://h/o/r#abc > git+https://h/o/r@abc#subdirectory=x",
                "git+https://h/o/r@v1#egg=n&subdirectory=x > git+https://h/o/r#abc > git+https://h/o/r@abc#egg=n&subdirectory=x",
                "git+ssh://git@github.com/o/r > git+ssh://git@github.com/o/r#abc > git+ssh://git@github.com/o/r@abc",
                "git+ssh://git@github.com/o/r.git@v1 > git+ssh://git@github.com/o/r.git#abc > git+ssh://git@github.com/o/r.git@abc",
                "git+ssh://git@github.com:o/r.git#v1 > git+ssh://git@github.com:o/r.git#abc > git+ssh://git@github.com:o/r.git@abc",
                "git+file:///x/y > git+file:///x/y#abc > git+file:///x/y@abc",
                "--from=git+https://h/o/r > --from=git+https://h/o/r#abc > --from=git+https://h/o/r@abc",
                "--package=github:o/r#v1 > --package=github:o/r#abc > --package=git+https://github.com/o/r@abc",
                "-p=git+https://h/o/r@v1 > -p=git+https://h/o/r#abc > -p=git+https://h/o/r@abc",
                "n@git+https://h/o/r > n@git+https://h/o/r#abc > n@git+https://h/o/r@abc",
                "@s/n@github:o/r > @s/n@github:o/r#abc > @s/n@git+https://github.com/o/r@abc",
                "n[a,b] @ git+https://h/o/r@v1 > n[a,b] @ git+https://h/o/r#abc > n[a,b] @ git+https://h/o/r@abc",
                "https://github.com/o/r > https://github.com/o/r > https://github.com/o/r",
                "github:notes > github:notes > github:notes",
                "see github:o/r > see github:o/r > see github:o/r",
                "npx -y github:o/r > npx -y github:o/r > npx -y github:o/r",
                "owner/repo > owner/repo > owner/repo",
                "-y > -y > -y"
            })
    void namesTheCommit(String argument, String ofNode, String ofPython) {
        assertThat(GitHubArguments.pinned(List.of("x", argument), NODE, null, "abc"))
                .containsExactly("x", ofNode);
        assertThat(GitHubArguments.pinned(List.of("x", argument), PYTHON, null, "abc"))
                .containsExactly("x", ofPython);
    }

    @ParameterizedTest
    @CsvSource({
        "npx,             python, NODE",
        "/usr/bin/npm,    ,       NODE",
        "pnpm,            ,       NODE",
        "uvx,             ,       PYTHON",
        "/opt/bin/uv,     node,   PYTHON",
        "pip3.12,         ,       PYTHON",
        "pipx,            ,       PYTHON",
        "python3,         ,       PYTHON",
        "start.sh,        python, PYTHON",
        "start.sh,        node,   NODE",
        "start.sh,        ,       NODE"
    })
    void readsArgumentsAsTheProgramDoes(String command, @Nullable String runtime, String reader) {
        assertThat(GitHubArguments.reader(command, runtime)).hasToString(reader);
    }

    @ParameterizedTest
    @CsvSource({
        "https://github.com/o/r",
        "https://GitHub.com/O/R.git",
        "https://token@github.com/o/r/",
        "git+ssh://git@github.com/o/r",
        "github:o/r"
    })
    void leavesOtherRepositoriesAtTheirOwnReference(String repository) {
        var arguments = List.of("--with", "git+https://h/dep@v2", "--from", "github:o/r", "prog");

        assertThat(GitHubArguments.pinned(arguments, PYTHON, repository, "abc"))
                .containsExactly(
                        "--with",
                        "git+https://h/dep@v2",
                        "--from",
                        "git+https://github.com/o/r@abc",
                        "prog");
    }

    @ParameterizedTest
    @CsvSource({
        "github:o/r,                  github:o/r#dev,            git+https://github.com/o/r@dev",
        "github:o/r#path:x,           github:o/r#dev::path:x,    git+https://github.com/o/r@dev",
        "git+https://h/o/r#subdirectory=x, git+https://h/o/r#dev, git+https://h/o/r@dev#subdirectory=x",
        "github:o/r#main,             github:o/r#main,           github:o/r#main",
        "github:o/r@v1,               github:o/r@v1,             github:o/r@v1",
        "git+https://h/o/r@v1,        git+https://h/o/r@v1,      git+https://h/o/r@v1"
    })
    void namesTheBranchWhereNothingIsNamed(String argument, String ofNode, String ofPython) {
        assertThat(GitHubArguments.onBranch(List.of(argument), NODE, null, "dev"))
                .containsExactly(ofNode);
        assertThat(GitHubArguments.onBranch(List.of(argument), PYTHON, null, "dev"))
                .containsExactly(ofPython);
    }

    @Test
    void namesTheCommitEverywhereWhereTheRepositoryIsNotAmongThem() {
        assertThat(
                        GitHubArguments.pinned(
                                List.of("github:o/moved"), NODE, "https://github.com/o/r", "abc"))
                .containsExactly("github:o/moved#abc");
    }

    @Test
    void leavesOtherSourcesAlone() {
        assertThat(of("github", " abc ", null)).containsExactly("-y", "github:o/r#abc");
        assertThat(of("github", "abc", "https://github.com/o/other"))
                .containsExactly("-y", "github:o/r#abc");
        assertThat(of("official", "abc", null)).containsExactly("-y", "github:o/r");
        assertThat(of(null, "abc", null)).containsExactly("-y", "github:o/r");
        assertThat(of("github", null, null)).containsExactly("-y", "github:o/r");
        assertThat(of("github", " ", null)).containsExactly("-y", "github:o/r");
    }

    private static List<String> of(
            @Nullable String source, @Nullable String commit, @Nullable String repository) {
        var config =
                new ServerConfigBuilder(
                                "i",
                                "s",
                                new Owner("t", "t", "u", "u"),
                                TransportType.STDIO,
                                "npx",
                                List.of("-y", "github:o/r"))
                        .build();
        var json = (ObjectNode) Json.tree(Json.write(config));
        json.put("source", source).put("git_commit_sha", commit).put("repository_url", repository);
        return GitHubArguments.of(Json.convert(json, ServerConfig.class));
    }
}
