package dev.holdfast.frontend.nvmeof.internal.auth;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.PresharedKey;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Keys with which hosts may begin TLS. The file has a line for each host:
 *
 * <pre>
 *   # host (or * for all others)        key
 *   nqn.2014-08.org.nvmexpress:uuid:…   NVMeTLSkey-1:01:…:
 * </pre>
 *
 * <p>The file is read at every handshake, so that a change applies from the next handshake on.
 */
public final class HostKeys {
  private final Optional<HostLines> file;

  /** Uses the given file, if any. */
  public HostKeys(Optional<Path> file) {
    this.file = file.map(HostLines::new);
  }

  /** Returns whether a file of keys is configured. */
  public boolean present() {
    return file.isPresent();
  }

  /**
   * Returns the key of an identity, or empty when it has none.
   *
   * @param identity identity that the host sent, not null
   * @throws StorageException IO when the file cannot be read, INVALID when its format is wrong
   */
  public Optional<PresharedKey> of(String identity) throws StorageException {
    Optional<TlsIdentity> parsed = TlsIdentity.of(identity);
    if (file.isEmpty() || parsed.isEmpty()) {
      return Optional.empty();
    }
    Optional<String[]> line = file.get().of(parsed.get().host());
    if (line.isEmpty()) {
      return Optional.empty();
    }
    ConfiguredPsk psk = psk(line.get());
    PresharedKey.Hash hash =
        psk.hash() == DhchapHash.SHA_256 ? PresharedKey.Hash.SHA_256 : PresharedKey.Hash.SHA_384;
    return parsed.get().key(psk).map(secret -> new PresharedKey(secret, hash));
  }

  private ConfiguredPsk psk(String[] words) throws StorageException {
    try {
      if (words.length != 2) {
        throw new IllegalArgumentException("a line has one TLS key");
      }
      return ConfiguredPsk.of(words[1]);
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, file.orElseThrow() + ", " + words[0] + ": " + e.getMessage(), e);
    }
  }
}
