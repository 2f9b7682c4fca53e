package dev.holdfast.itests;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.StorageException;
import dev.holdfast.jsonrpc.JsonRpcClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;

/** A host with a key for DH-HMAC-CHAP: an SPDK target that connects to an export. */
final class KeyedHost implements AutoCloseable {
  static final String NQN = "nqn.2026-11.dev.holdfast:host-hv-07";

  /** A valid key of 32 zeroes. */
  static final String OTHER_KEY = "DHHC-1:00:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACtVQoZ:";

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String NAME = "keyed-host";

  private final JsonRpcClient target;
  private final Path folder;

  /**
   * Creates a host.
   *
   * @param socket for calls of the target
   * @param folder for files of keys
   */
  KeyedHost(Path socket, Path folder) throws StorageException {
    this.target = JsonRpcClient.connect(NAME, socket);
    this.folder = folder;
  }

  private static ObjectNode params() {
    return JsonNodeFactory.instance.objectNode();
  }

  private void run(String method, ObjectNode params) throws StorageException {
    var unused = target.call(method, params, PATIENCE);
  }

  /** Connects with a key and disconnects; false when the export refuses the host. */
  boolean connects(URI endpoint, String key) {
    try {
      Path file = folder.resolve("keyed-host-key");
      Files.deleteIfExists(file);
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(file, key);
      run("keyring_file_add_key", params().put("name", NAME).put("path", file.toString()));
      try {
        return attaches(endpoint);
      } finally {
        run("keyring_file_remove_key", params().put("name", NAME));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (StorageException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean attaches(URI endpoint) throws StorageException {
    try {
      run(
          "bdev_nvme_attach_controller",
          params()
              .put("name", NAME)
              .put("trtype", "TCP")
              .put("adrfam", "IPv4")
              .put("traddr", endpoint.getHost())
              .put("trsvcid", String.valueOf(endpoint.getPort()))
              .put("subnqn", endpoint.getPath().substring(1))
              .put("hostnqn", NQN)
              .put("dhchap_key", NAME)
              .put("fabrics_connect_timeout_us", 2_000_000));
    } catch (StorageException e) {
      return false;
    }
    run("bdev_nvme_detach_controller", params().put("name", NAME));
    return true;
  }

  @Override
  public void close() {
    target.close();
  }
}
