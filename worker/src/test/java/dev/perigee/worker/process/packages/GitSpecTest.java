package dev.perigee.worker.process.packages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("OPS-18: packages in git repositories")
final class GitSpecTest {
    private static final String SHA = "0123456789abcdef0123456789abcdef01234567";
    private static final String GITHUB = "https://github.com/o/r.git#";

    @ParameterizedTest
    @CsvSource({
        "github:o/r,                        " + GITHUB + "::",
        "github:o/r.git#main,               " + GITHUB + "main::",
        "o/r#v1.0,                          " + GITHUB + "v1.0::",
        "github:o/r#feature/a,              " + GITHUB + "feature/a::",
        "github:o/r#@scope/pkg@1.0.0,       " + GITHUB + "@scope/pkg@1.0.0::",
        "github:o/r#" + SHA + ",            " + GITHUB + SHA + "::",
        "github:o/r#main::path:servers/a,   " + GITHUB + "main::servers/a",
        "github:o/r#path:servers/a,         " + GITHUB + "::servers/a",
        "git+https://h.example:8443/a/b/c,  https://h.example:8443/a/b/c#::",
        "git+https://github.com/o/r.git#x,  " + GITHUB + "x::"
    })
    void ofNpm(String spec, String means) {
        assertThat(GitSpec.ofNpm(spec)).hasToString(means);
    }

    @ParameterizedTest
    @CsvSource({
        "git+https://github.com/o/r.git,                        " + GITHUB + "::",
        "git+https://github.com/o/r.git@main,                   " + GITHUB + "main::",
        "git+https://github.com/o/r.git@a/b#subdirectory=s/a,   " + GITHUB + "a/b::s/a",
        "git+https://github.com/o/r.git@" + SHA + ",            " + GITHUB + SHA + "::"
    })
    void ofUv(String spec, String means) {
        assertThat(GitSpec.ofUv(spec)).hasToString(means);
    }

    /** Options, other transports, credentials, patterns, and ways out of the repository. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "git+ssh://git@github.com/o/r",
                "git+http://github.com/o/r",
                "git+file:///etc",
                "git+ext::sh -c x",
                "ext::sh -c x",
                "git://github.com/o/r",
                "https://github.com/o/r",
                "gitlab:o/r",
                "git+https://user:token@github.com/o/r",
                "git+https://token@github.com/o/r",
                "git+https://github.com",
                "git+https://-oProxyCommand=x/o/r",
                "git+https://github.com/--upload-pack=x/r",
                "git+https://github.com/o/../r",
                "git+https://github.com/o/r?x=y",
                "git+https://github.com/o/r%2e",
                "github:u:p@o/r",
                "github:-o/r",
                "github:o/-r",
                "github:o",
                "github:o/r/s",
                "@scope/name",
                "../o",
                "./r",
                "github:o/r#--upload-pack=x",
                "github:o/r#-x",
                "github:o/r#a..b",
                "github:o/r#a b",
                "github:o/r#a*",
                "github:o/r#a:b",
                "github:o/r#+main",
                "github:o/r#@{1}",
                "github:o/r#@",
                "github:o/r#main.lock",
                "github:o/r#main/",
                "github:o/r#abc1234",
                "github:o/r#semver:^1",
                "github:o/r#path:../x",
                "github:o/r#path:/etc",
                "github:o/r#path:a/../../x",
                "github:o/r#path:.git",
                "github:o/r#path:-x",
                "github:o/r#path:",
                "git+https://h/o/r@--upload-pack=x",
                "git+https://h/o/r@",
                "git+https://h/o/r@main#egg=n",
                "git+https://h/o/r#subdirectory=../x",
                "git+https://h/o/r#subdirectory="
            })
    void isNone(String spec) {
        assertThat(GitSpec.ofNpm(spec)).isNull();
        assertThat(GitSpec.ofUv(spec)).isNull();
    }

    @Test
    void isNamedByItsRepository() {
        var spec = Objects.requireNonNull(GitSpec.ofNpm("git+https://GitHub.com/acme/server.git"));

        assertThat(spec.repository()).isEqualTo("github.com/acme/server");
        assertThat(spec.isAmong(List.of("server", "github.com/acme/server"))).isTrue();
        assertThat(spec.isAmong(List.of("github.com/acme/*"))).isTrue();
        assertThat(spec.isAmong(List.of("github.com/ac/*", "github.com/acme", "acme/server")))
                .isFalse();
    }

    @Test
    void meansTheCommitOfABranchBeforeATag() {
        var other = SHA.replace('0', 'f');
        var lines =
                List.of(
                        other + "\trefs/tags/v1",
                        SHA + "\trefs/tags/v1^{}",
                        other + "\trefs/x/refs/heads/main",
                        SHA + "\tHEAD");

        assertThat(GitReferences.commit("v1", lines)).isEqualTo(SHA);
        assertThat(GitReferences.commit(null, lines)).isEqualTo(SHA);
        assertThat(GitReferences.commit("main", lines)).isNull();
        assertThat(GitReferences.commit("main", List.of("x", "\t", "-x\trefs/heads/main")))
                .isNull();
        assertThat(GitReferences.wanted("refs/pull/1/head")).contains("refs/pull/1/head");
    }

    @Test
    void letsGitSeeNothingOfTheHost() {
        var environment =
                GitEnvironment.of(
                        Map.of(
                                "PATH", "/bin",
                                "HTTPS_PROXY", "p",
                                "npm_config_https_proxy", "q",
                                "npm_config__authToken", "t",
                                "SSL_CERT_FILE", "/ca"));

        assertThat(environment)
                .containsEntry("GIT_ALLOW_PROTOCOL", "https")
                .containsEntry("GIT_CONFIG_GLOBAL", "/dev/null")
                .containsEntry("GIT_SSL_CAINFO", "/ca")
                .containsEntry("HTTPS_PROXY", "p")
                .doesNotContainKeys("npm_config_https_proxy", "npm_config__authToken", "HOME");
        assertThat(GitEnvironment.isConfiguredBy(Map.of("GIT_ASKPASS", "x"))).isTrue();
        assertThat(GitEnvironment.isConfiguredBy(Map.of("GITHUB_TOKEN", "x"))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "fatal: could not read Username for 'https://h': terminal prompts disabled, needs credentials",
        "fatal: repository 'https://h/o/r/' not found,                             there is no repository",
        "fatal: remote error: upload-pack: not our ref 01,                         has no commit",
        "fatal: unable to access 'https://h/': Could not resolve host: h,          cannot be reached",
        "fatal: unable to access 'https://h/': The requested URL returned error: 502, cannot be reached",
        "fatal: transport 'http' not allowed,                                      another protocol"
    })
    void isExplained(String said, String words) {
        var spec = Objects.requireNonNull(GitSpec.ofUv("git+https://h/o/r@" + SHA));

        assertThat(GitFailure.explained(spec, List.of("", said))).contains(words);
        assertThat(GitFailure.explained(spec, List.of("fatal: something else"))).isNull();
    }
}
