package dev.holdfast.engine.spdk.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Keys of the target: names of files that it reads when it needs them. Thread-safe. */
public final class SpdkKeyring {
  private final TargetCalls target;

  /** Creates the calls of a target. */
  public SpdkKeyring(TargetCalls target) {
    this.target = target;
  }

  /** Adds a key. Succeeds when the target has it. */
  public void add(String name, Path file) throws StorageException {
    try {
      target.run(
          "keyring_file_add_key",
          SpdkTarget.params().put("name", name).put("path", file.toAbsolutePath().toString()));
    } catch (StorageException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
    }
  }

  /** Removes a key that {@link #names} returned. */
  public void remove(String name) throws StorageException {
    target.run("keyring_file_remove_key", SpdkTarget.params().put("name", name));
  }

  /** Returns the names of all keys. */
  public List<String> names() throws StorageException {
    List<String> names = new ArrayList<>();
    for (JsonNode key : target.call("keyring_get_keys", SpdkTarget.params())) {
      if (!key.path("removed").asBoolean()) {
        names.add(key.path("name").asText());
      }
    }
    return names;
  }
}
