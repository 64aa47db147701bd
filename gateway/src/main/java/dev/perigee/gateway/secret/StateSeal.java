package dev.perigee.gateway.secret;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts values of the state topic with AES-256-GCM, and decrypts them. A value is bound to the
 * record that it is in: under another name it does not open. Any thread.
 *
 * <pre>
 *   format (1) · length of key id (1) · key id · nonce (12) · ciphertext · tag (16)
 * </pre>
 *
 * The format's number is no character with which JSON begins, so a value that was written without a
 * key is recognised and taken as it is.
 */
public final class StateSeal {
    private static final byte FORMAT = 1;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BYTES = 16;

    private final @Nullable StateKeys keys;
    private final SecureRandom random = new SecureRandom();

    /**
     * @param keys null leaves values as they are
     */
    public StateSeal(@Nullable StateKeys keys) {
        this.keys = keys;
    }

    /** The value as it is to be kept under this name. */
    public byte[] seal(String name, byte[] value) {
        if (keys == null) {
            return value;
        }
        var id = keys.current().getBytes(UTF_8);
        var nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        var header =
                ByteBuffer.allocate(2 + id.length)
                        .put(FORMAT)
                        .put((byte) id.length)
                        .put(id)
                        .array();
        try {
            var cipher = cipher(Cipher.ENCRYPT_MODE, key(keys.current()), nonce, header, name);
            var sealed =
                    Arrays.copyOf(header, header.length + NONCE_BYTES + value.length + TAG_BYTES);
            System.arraycopy(nonce, 0, sealed, header.length, NONCE_BYTES);
            cipher.doFinal(value, 0, value.length, sealed, header.length + NONCE_BYTES);
            return sealed;
        } catch (GeneralSecurityException | SealedException e) {
            throw new IllegalStateException("A value cannot be encrypted", e);
        }
    }

    /**
     * The value that was sealed under this name, or was never sealed.
     *
     * @throws SealedException when its key is not there, or it is not what was sealed
     */
    public byte[] open(String name, byte[] value) throws SealedException {
        if (!isSealed(value)) {
            return value;
        }
        int idLength = value.length > 1 ? value[1] : -1;
        int body = 2 + idLength + NONCE_BYTES;
        if (idLength < 1 || value.length < body + TAG_BYTES) {
            throw new SealedException("it is cut off");
        }
        var id = new String(value, 2, idLength, UTF_8);
        var header = Arrays.copyOf(value, 2 + idLength);
        var nonce = Arrays.copyOfRange(value, 2 + idLength, body);
        try {
            return cipher(Cipher.DECRYPT_MODE, key(id), nonce, header, name)
                    .doFinal(value, body, value.length - body);
        } catch (AEADBadTagException e) {
            throw new SealedException(
                    "the key "
                            + id
                            + " does not open it: another one had this id, or the record was"
                            + " altered");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("A value cannot be decrypted", e);
        }
    }

    /** Whether the value is as {@link #seal} would keep it now, by the key if there is one. */
    public boolean isCurrent(byte[] value) {
        if (keys == null) {
            return !isSealed(value);
        }
        var id = keys.current().getBytes(UTF_8);
        return isSealed(value)
                && value.length > 2 + id.length
                && value[1] == id.length
                && Arrays.equals(value, 2, 2 + id.length, id, 0, id.length);
    }

    private static boolean isSealed(byte[] value) {
        return value.length > 0 && value[0] == FORMAT;
    }

    private SecretKey key(String id) throws SealedException {
        var key = keys == null ? null : keys.key(id);
        if (key == null) {
            throw new SealedException(
                    "it needs the key " + id + ", which state.encryption-keys does not have");
        }
        return key;
    }

    private static Cipher cipher(int mode, SecretKey key, byte[] nonce, byte[] header, String name)
            throws GeneralSecurityException {
        var cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BYTES * 8, nonce));
        cipher.updateAAD(header);
        cipher.updateAAD(name.getBytes(UTF_8));
        return cipher;
    }
}
