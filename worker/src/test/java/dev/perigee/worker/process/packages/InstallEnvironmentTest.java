package dev.perigee.worker.process.packages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("What an installation sees of a server's environment")
final class InstallEnvironmentTest {

    @Test
    @DisplayName("PRO-102: how to reach a registry, and none of the server's secrets")
    void keepsSecretsFromInstallations() {
        var configured =
                Map.of(
                        "API_KEY", "secret",
                        "NODE_OPTIONS", "--inspect",
                        "PATH", "/bin",
                        "https_proxy", "http://proxy",
                        "NPM_CONFIG_REGISTRY", "http://registry",
                        "npm_config_//registry/:_authToken", "token",
                        "UV_INDEX_URL", "http://index");

        assertThat(InstallEnvironment.of(PackageManager.NPM, configured))
                .containsOnlyKeys(
                        "PATH",
                        "https_proxy",
                        "NPM_CONFIG_REGISTRY",
                        "npm_config_//registry/:_authToken");
        assertThat(InstallEnvironment.of(PackageManager.UV, configured))
                .containsOnlyKeys("PATH", "https_proxy", "UV_INDEX_URL");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "npm_config_prefix",
                "NPM_CONFIG_GLOBAL",
                "npm_config_dry-run",
                "npm_config_userconfig",
                "npm_config_globalconfig"
            })
    void isNotCertainWhatNpxWouldDo(String name) {
        assertThat(InstallEnvironment.of(PackageManager.NPM, Map.of(name, "x"))).isNull();
        assertThat(InstallEnvironment.of(PackageManager.UV, Map.of(name, "x"))).isEmpty();
    }
}
