package dev.holdfast.engine.spdk.simulator.internal.nvmf;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Keys in files, by name. Thread-safe. */
public final class Keyring {
  private static final Set<PosixFilePermission> PRIVATE =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

  private final Function<String, Path> files;
  private final Map<String, String> paths = new LinkedHashMap<>();

  /**
   * Creates an empty keyring.
   *
   * @param files where the files are that calls name
   */
  public Keyring(Function<String, Path> files) {
    this.files = files;
  }

  /** Adds a key. Its file must have an absolute path and be closed to all but its owner. */
  public synchronized void add(String name, String path) throws ErrnoException {
    if (paths.containsKey(name)) {
      throw new ErrnoException(Errno.EEXIST);
    }
    if (!path.startsWith("/")) {
      throw new ErrnoException(Errno.EPERM);
    }
    Path file = files.apply(path);
    if (!Files.exists(file)) {
      throw new ErrnoException(Errno.ENOENT);
    }
    try {
      if (!PRIVATE.containsAll(Files.getPosixFilePermissions(file))) {
        throw new ErrnoException(Errno.EPERM);
      }
    } catch (IOException e) {
      throw new ErrnoException(Errno.EIO);
    }
    paths.put(name, path);
  }

  /** Removes a key. */
  public synchronized void remove(String name) throws ErrnoException {
    if (paths.remove(name) == null) {
      throw new ErrnoException(Errno.ENOKEY);
    }
  }

  /** Returns whether a key is there. */
  public synchronized boolean has(String name) {
    return paths.containsKey(name);
  }

  /** Returns a key's secret, empty for an empty name. */
  public synchronized String secret(String name) throws ErrnoException {
    if (name.isEmpty()) {
      return "";
    }
    String path = paths.get(name);
    if (path == null) {
      throw new ErrnoException(Errno.ENOKEY);
    }
    try {
      return Files.readString(files.apply(path)).strip();
    } catch (IOException e) {
      throw new ErrnoException(Errno.ENOKEY);
    }
  }

  /** Returns the answer to {@code keyring_get_keys}. */
  public synchronized ArrayNode describe() {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    paths.forEach(
        (name, path) ->
            list.addObject()
                .put("name", name)
                .put("module", "keyring_file")
                .put("removed", false)
                .put("probed", false)
                .put("refcnt", 1)
                .put("path", path));
    return list;
  }
}
