package dev.perigee.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StaticFilesTest {
    @ParameterizedTest
    @DisplayName("TEN-18: all that the page shows passes dom.js, which makes it visible")
    @ValueSource(
            strings = {
                "/app.js",
                "/stream.js",
                "/login.js",
                "/fleet.js",
                "/list.js",
                "/runbooks.js",
                "/calls.js",
                "/detail.js",
                "/timeline.js"
            })
    void setsTextThroughDomOnly(String path) {
        var file = Objects.requireNonNull(new StaticFiles().find(path));

        assertThat(new String(file.content(), StandardCharsets.UTF_8))
                .doesNotContainPattern(
                        "\\.(textContent|innerText|innerHTML|outerHTML|ariaLabel) = ")
                .doesNotContainPattern("insertAdjacent|createTextNode|document\\.(write|title = )")
                .doesNotContainPattern("setAttribute\\('(title|aria-label)'");
    }
}
