package dev.perigee.local.cli;

import dev.perigee.protocol.settings.SettingType;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a time: as ISO 8601, or how long ago, such as 30m. */
final class TimeOption implements ITypeConverter<Instant> {
    @Override
    public Instant convert(String text) {
        var ago = SettingType.duration().parser().parse(text);
        if (ago != null) {
            return Instant.now().minus(ago);
        }
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new TypeConversionException(
                    "'"
                            + text
                            + "' is no time: write how long ago, such as 30m, or"
                            + " 2026-11-20T10:00:00Z");
        }
    }
}
