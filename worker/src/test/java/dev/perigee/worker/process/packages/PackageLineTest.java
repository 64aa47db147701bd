package dev.perigee.worker.process.packages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Which command lines mean one package")
final class PackageLineTest {

    @ParameterizedTest
    @CsvSource({
        "npx -y pkg,                          pkg,            pkg,        ,      false",
        "npx --yes pkg,                       pkg,            pkg,        ,      false",
        "npx -y -- pkg,                       pkg,            pkg,        ,      false",
        "npx -y @scope/pkg,                   @scope/pkg,     @scope/pkg, ,      false",
        "npx -y @scope/pkg@1.2.3,             @scope/pkg@1.2.3, @scope/pkg, ,    true",
        "npx -y pkg@1.2.3-beta.1,             pkg@1.2.3-beta.1, pkg,      ,      true",
        "npx -y pkg@latest,                   pkg@latest,     pkg,        ,      false",
        "npx -y pkg@^1.2,                     pkg@^1.2,       pkg,        ,      false",
        "npx -y pkg@1,                        pkg@1,          pkg,        ,      false",
        "npx -y -p @scope/pkg prog,           @scope/pkg,     @scope/pkg, prog,  false",
        "npx --package=pkg@2.0.0 -y prog,     pkg@2.0.0,      pkg,        prog,  true",
        "npx --package pkg --yes -- prog,     pkg,            pkg,        prog,  false",
        "uvx tool,                            tool,           tool,       tool,  false",
        "uvx tool@1.2,                        tool@1.2,       tool,       tool,  true",
        "uvx tool@latest,                     tool@latest,    tool,       tool,  false",
        "uvx --from pkg prog,                 pkg,            pkg,        prog,  false",
        "uvx --from=pkg==1.0 prog,            pkg==1.0,       pkg,        prog,  true",
        "uvx --from pkg[extra]>=1 prog,       pkg[extra]>=1,  pkg,        prog,  false",
        "npx -y github:o/repo#main,           github:o/repo#main, repo,   ,      false",
        "npx -y o/repo,                       o/repo,         repo,       ,      false",
        "npx -y -p git+https://h/o/repo prog, git+https://h/o/repo, repo, prog,  false",
        "uvx git+https://h/o/repo@main,       git+https://h/o/repo@main, repo, , false",
        "uvx --from git+https://h/o/repo p,   git+https://h/o/repo, repo, p,     false"
    })
    void means(String text, String spec, String name, String program, boolean pinned) {
        var line = Objects.requireNonNull(PackageLines.parse(words(text + " --flag -y @x")));

        assertThat(line.spec()).isEqualTo(spec);
        assertThat(line.name()).isEqualTo(name);
        assertThat(line.program()).isEqualTo(program);
        assertThat(line.pinned()).isEqualTo(pinned);
        assertThat(line.arguments()).containsExactly("--flag", "-y", "@x");
    }

    @ParameterizedTest
    @CsvSource({
        "npx -y @scope/pkg@1.2.3,       1.2.3",
        "npx -y pkg@v1.2.3-beta.1,      1.2.3-beta.1",
        "npx -y @scope/pkg,             ",
        "npx -y pkg@latest,             ",
        "npx -y pkg@^1.2,               ",
        "uvx tool@1.2,                  1.2",
        "uvx --from=pkg==1.0 prog,      1.0",
        "uvx --from pkg[s3]==1.0 prog,  1.0",
        "uvx --from pkg[extra]>=1 prog, "
    })
    void asksForAVersion(String text, String version) {
        var line = Objects.requireNonNull(PackageLines.parse(words(text)));

        assertThat(line.version()).isEqualTo(version);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "npx",
                "npx -y",
                "npx -y --",
                "npx pkg", // npm's configuration decides whether it is installed.
                "npx pkg -y",
                "npx -n pkg",
                "npx -y -c pkg",
                "npx -y --registry=http://x pkg",
                "npx -y -p one -p two prog",
                "npx -y -p pkg",
                "npx -y github:owner/repo#abc1234", // Perhaps a part of a commit.
                "npx github:owner/repo",
                "npx -y git+ssh://git@github.com/owner/repo.git",
                "npx -y -p git+https://token@github.com/owner/repo.git prog",
                "npx -y ./pkg",
                "npx -y pkg@file:../pkg",
                "npx -y pkg@npm:other@1",
                "npx -y ../../x",
                "npx -y .",
                "npx -y @scope",
                "npx -y http://host/pkg.tgz",
                "npx -y -p pkg ./prog",
                "uvx",
                "uvx --from pkg",
                "uvx --from git+https://github.com/owner/repo@abc1234 prog",
                "uvx --with other tool",
                "uvx --python 3.12 tool",
                "uvx --with git+https://github.com/owner/repo tool",
                "uvx ./tool",
                "/usr/bin/npx -y pkg",
                "node server.js",
                "uv tool run tool"
            })
    void isNotCertain(String text) {
        assertThat(PackageLines.parse(words(text))).isNull();
    }

    @Test
    @DisplayName("PRO-25, PRO-102: neither arguments nor the program's secrets are shown")
    void showsNoArguments() {
        assertThat(PackageLines.parse(List.of("npx", "-y", "pkg", "--token", "abc")))
                .hasToString("PackageLine[npm pkg]");
    }

    private static List<String> words(String text) {
        return Arrays.asList(text.split(" "));
    }
}
