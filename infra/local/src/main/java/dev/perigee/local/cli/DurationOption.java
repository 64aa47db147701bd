package dev.perigee.local.cli;

import dev.perigee.protocol.settings.SettingType;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads durations as configuration keys do: 500ms, 30s, 5m. */
final class DurationOption implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
        var duration = SettingType.duration().parser().parse(text);
        if (duration == null) {
            throw new TypeConversionException(
                    "'" + text + "' is not " + SettingType.duration().expects());
        }
        return duration;
    }
}
