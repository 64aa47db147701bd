package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("PRO-10: the environment of a jailed program")
final class JailEnvironmentTest {
    private static final Home HOME = new Home.OfInstallation("t", "u", "i");

    private static Map<String, String> environment(
            ServerRuntime runtime, Map<String, String> configured) {
        var settings =
                IsolationSettings.SCHEMA.read(
                        Map.of("isolation.pass-environment", "HTTPS_PROXY,ABSENT,LD_PRELOAD"));
        var worker =
                Map.of(
                        "HTTPS_PROXY", "http://proxy",
                        "LD_PRELOAD", "/evil.so",
                        "JAVA_HOME", "/jdk",
                        "PERIGEE_LINK_TOKEN", "s3cret");
        var home = new HomePlace(Path.of("/c"), Path.of("/home", runtime.wireName()));
        var program = new ServerProgram(HOME, runtime, List.of("x"), configured);
        return JailEnvironment.of(IsolationSettings.policy(settings, worker), program, home);
    }

    @Test
    void isWhatTheJailGivesAndTheOperatorPassesOn() {
        assertThat(environment(ServerRuntime.NODE, Map.of()))
                .containsOnlyKeys(
                        "HOME",
                        "HTTPS_PROXY",
                        "LANG",
                        "PATH",
                        "XDG_CACHE_HOME",
                        "npm_config_cache",
                        "npm_config_update_notifier")
                .containsEntry("HOME", "/home/node");
        assertThat(environment(ServerRuntime.PYTHON, Map.of()))
                .containsEntry("UV_CACHE_DIR", "/home/python/.cache/uv")
                .containsEntry("PIP_CACHE_DIR", "/home/python/.cache/pip");
    }

    @Test
    void hasWhatIsConfiguredButForWhatDecidesWhatIsLoaded() {
        var configured =
                Map.ofEntries(
                        Map.entry("API_KEY", "k"),
                        Map.entry("HOME", "/tmp"),
                        Map.entry("PATH", "/home/node"),
                        Map.entry("LD_LIBRARY_PATH", "/home/node"),
                        Map.entry("GLIBC_TUNABLES", "x"),
                        Map.entry("GCONV_PATH", "x"),
                        Map.entry("BASH_FUNC_echo%%", "() { evil; }"),
                        Map.entry("BASH_ENV", "x"),
                        Map.entry("ENV", "x"),
                        Map.entry("OPTIND", "x"),
                        Map.entry("NODE_OPTIONS", "x"),
                        Map.entry("PYTHONPATH", "x"),
                        Map.entry("PYTHONSTARTUP", "x"),
                        Map.entry("PERIGEE_OWNER", "forged"),
                        Map.entry("a.b", "x"));
        var environment = environment(ServerRuntime.NODE, configured);
        assertThat(environment)
                .containsEntry("API_KEY", "k")
                .containsEntry("HOME", "/tmp")
                .containsEntry("PATH", JailEnvironment.PATH)
                .doesNotContainValue("x")
                .doesNotContainKeys("BASH_FUNC_echo%%", "LD_LIBRARY_PATH", "PERIGEE_OWNER");
        assertThat(
                        JailEnvironment.dropped(
                                new ServerProgram(
                                        HOME, ServerRuntime.NODE, List.of("x"), configured)))
                .hasSize(13)
                .doesNotContain("API_KEY", "HOME");
    }
}
