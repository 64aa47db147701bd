package dev.perigee.local.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RulesFileTest {
    @TempDir private Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "secret: {}                          | secret is no rule: there are teams, secrets",
                "secrets: {environment: {}}          | secrets.environment is no rule: there are env",
                "secrets: {env: {A: drop}}           | secrets.env.A is mask, keep, or one of",
                "secrets: {env: {A: {from: x}}}      | secrets.env.A.from is no rule",
                "secrets: {env: {A: {env: X, value: y}}} | exactly one of env, file and value",
                "secrets: {env: {A: {env: UNSET}}}   | names the variable UNSET, which is not set",
                "secrets: {env: {A: {file: none}}}   | names the file none, which cannot be read",
                "servers: {s: {envs: {}}}            | servers.s.envs is no rule",
                "unmapped_hosts: drop                | unmapped_hosts is keep or mask",
                "teams: [a]                          | teams is no map",
                "hosts: {a: {b: c}}                  | hosts.a is not a text",
                "'secrets: {'                        | is no YAML at line"
            })
    void refusesWhatItDoesNotUnderstand(String yaml, String message) throws Exception {
        var file = Files.writeString(folder.resolve("rules.yaml"), yaml);

        assertThatThrownBy(() -> RulesFile.read(file, Map.<String, String>of()::get))
                .isInstanceOf(ReplayException.class)
                .hasMessageContaining(message)
                .hasMessageContaining("rules.yaml");
    }

    @Test
    void knowsTheRulesThatARunBeganWith() throws Exception {
        var first = fingerprint("secrets: {env: {A: {value: one}}}");

        assertThat(fingerprint("# again\nsecrets:\n  env:\n    A:\n      value: one\n"))
                .isEqualTo(first);
        assertThat(fingerprint("secrets: {env: {A: keep}}")).isNotEqualTo(first);
        assertThat(fingerprint("hosts: {a: b}")).isNotEqualTo(fingerprint("hosts: {a: c}"));
        assertThat(fingerprint("")).isEqualTo(Rules.none().fingerprint());
    }

    @Test
    void masksHostsWithoutRuleWhenAsked() {
        var hosts = new HostRules(Map.of("*.test", "keep.test", "a:80", "b"), true);

        assertThat(hosts.replace("x.y.test:1")).isEqualTo("keep.test:1");
        assertThat(hosts.replace("A:80")).isEqualTo("b:80");
        assertThat(hosts.replace("a:81")).isEqualTo("masked.invalid");
    }

    private String fingerprint(String yaml) throws Exception {
        return RulesFile.read(Files.writeString(folder.resolve("f.yaml"), yaml)).fingerprint();
    }
}
