package dev.perigee.gateway.secret;

import dev.perigee.protocol.settings.SettingType;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the state topic's secrets, by their ids: the first one seals, each opens what it
 * sealed. Written {@code ID:BASE64}, one a line or separated by commas; lines that begin with
 * {@code #} are comments. Shows ids only.
 */
public final class StateKeys {
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final int KEY_BYTES = 32;

    private final String current;
    private final Map<String, SecretKey> keys;

    private StateKeys(String current, Map<String, SecretKey> keys) {
        this.current = current;
        this.keys = Collections.unmodifiableMap(new LinkedHashMap<>(keys));
    }

    /** What a setting expects. */
    public static SettingType<StateKeys> type() {
        return new SettingType<>(
                "keys, each an id and a colon before 32 bytes in base64, one a line or separated by"
                        + " commas",
                StateKeys::parse);
    }

    /** Returns null for anything but one key or more, each with an id of its own. */
    static @Nullable StateKeys parse(String text) {
        var keys = new LinkedHashMap<String, SecretKey>();
        for (var line : text.lines().filter(line -> !line.strip().startsWith("#")).toList()) {
            for (var entry : line.split(",", -1)) {
                if (!entry.isBlank() && !add(entry.strip(), keys)) {
                    return null;
                }
            }
        }
        return keys.isEmpty() ? null : new StateKeys(keys.sequencedKeySet().getFirst(), keys);
    }

    private static boolean add(String entry, Map<String, SecretKey> keys) {
        int colon = entry.indexOf(':');
        if (colon < 0 || !ID.matcher(entry.substring(0, colon)).matches()) {
            return false;
        }
        try {
            var bytes = Base64.getDecoder().decode(entry.substring(colon + 1).strip());
            return bytes.length == KEY_BYTES
                    && keys.put(entry.substring(0, colon), new SecretKeySpec(bytes, "AES")) == null;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The id of the key that seals. */
    public String current() {
        return current;
    }

    /** All ids, the current one first. */
    public Set<String> ids() {
        return keys.keySet();
    }

    /** The key of this id, null where there is none. */
    @Nullable SecretKey key(String id) {
        return keys.get(id);
    }

    @Override
    public String toString() {
        return "StateKeys" + ids();
    }
}
