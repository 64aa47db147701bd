package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import dev.perigee.part.Logging;
import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class LogFormatTest {
    private static final String HOSTILE = "a\u001b[2J \u202e\u009b\u007f\u2028\nz";

    @Test
    @DisplayName("TEN-18: a line of a part's text log holds nothing that a terminal obeys")
    void textIsVisible() throws JoranException {
        var text = encoded("text", new IllegalStateException(HOSTILE));

        assertThat(text.lines().findFirst().orElseThrow())
                .contains(
                        "a\\u001b[2J \\u202e\\u009b\\u007f\\u2028\\nz",
                        "team_id=\"a\\u001b[2J \\u202e\\u009b\\u007f\\u2028\\nz\"");
        assertThat(text.lines()).noneMatch(line -> line.contains("%n"));
        assertThat(text).contains("IllegalStateException: a\\u001b[2J");
        assertThat(text.replaceAll("[\\n\\t]", ""))
                .doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Zl}]");
    }

    @Test
    @DisplayName("TEN-18: nor does one of its JSON log, which loses nothing")
    void jsonIsVisible() throws JoranException {
        var line = encoded("json", null);

        assertThat(line).endsWith("}" + System.lineSeparator());
        assertThat(line.stripTrailing()).doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Zl}]");
        var fields = Json.tree(line.getBytes(StandardCharsets.UTF_8));
        assertThat(fields.path("message").asString()).isEqualTo(HOSTILE);
        assertThat(fields.path("team_id").asString()).isEqualTo(HOSTILE);
    }

    private static String encoded(String format, @Nullable Throwable cause) throws JoranException {
        var context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        var configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(
                Objects.requireNonNull(
                        Logging.class.getResource("/perigee-log-" + format + ".xml")));
        var logger = context.getLogger("test");
        var appender =
                (ConsoleAppender<ILoggingEvent>)
                        Objects.requireNonNull(context.getLogger("ROOT").getAppender("STDERR"));
        var event = new LoggingEvent("test", logger, Level.WARN, HOSTILE, cause, null);
        event.addKeyValuePair(new KeyValuePair("team_id", HOSTILE));
        try {
            return new String(appender.getEncoder().encode(event), StandardCharsets.UTF_8);
        } finally {
            context.stop();
        }
    }
}
