package dev.perigee.part;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.nio.charset.StandardCharsets;
import net.logstash.logback.encoder.LogstashEncoder;

/**
 * Log lines as JSON, in which what a terminal would obey stands as its number: such logs are read
 * on terminals, too. Made by Logback, from the files of its configuration.
 */
public final class VisibleLogJson extends LogstashEncoder {
    @Override
    public byte[] encode(ILoggingEvent event) {
        var line = super.encode(event);
        if (isPlain(line)) {
            return line;
        }
        var document = new String(line, StandardCharsets.UTF_8).stripTrailing();
        return (VisibleText.json(document) + System.lineSeparator())
                .getBytes(StandardCharsets.UTF_8);
    }

    private static boolean isPlain(byte[] line) {
        for (byte each : line) {
            if (each < 0 || each == 0x7f) {
                return false;
            }
        }
        return true;
    }
}
