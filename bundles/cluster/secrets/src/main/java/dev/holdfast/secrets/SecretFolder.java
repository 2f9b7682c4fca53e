package dev.holdfast.secrets;

import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.secret.Secrets;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Secrets below a directory: {@code NAME/KEY}, one file per value that only its owner can access.
 * Thread-safe, also across processes: a value is replaced atomically.
 */
public final class SecretFolder implements Secrets {
  /** Maximum size of a value in bytes. */
  public static final int LARGEST = 1 << 20;

  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?");
  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,252}");
  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rwx------");

  private final Path folder;

  /**
   * Creates access to secrets below a directory, which is created with the first secret.
   *
   * @param folder the directory, not null
   */
  public SecretFolder(Path folder) {
    this.folder = folder;
  }

  /** Returns the secrets of the node with this state directory. */
  public static SecretFolder ofNode(Path data) {
    return new SecretFolder(data.resolve("secrets"));
  }

  @Override
  public Optional<Map<String, byte[]>> read(String name) throws StorageException {
    Map<String, byte[]> values = new TreeMap<>();
    for (String key : keys(name)) {
      Optional<byte[]> value = value(name, key);
      value.ifPresent(bytes -> values.put(key, bytes));
    }
    return values.isEmpty() ? Optional.empty() : Optional.of(values);
  }

  /**
   * Sets one value of a secret.
   *
   * @throws StorageException INVALID for a name, a key or an empty or too large value; IO
   */
  public void set(String name, String key, byte[] value) throws StorageException {
    Path file = file(name, key);
    if (value.length == 0 || value.length > LARGEST) {
      throw new StorageException(
          ErrorCode.INVALID,
          "secret " + name + ", key " + key + ": expected a value of 1 to " + LARGEST + " bytes");
    }
    try {
      PrivateFiles.createDirectory(file.getParent());
      PrivateFiles.write(file, value);
    } catch (IOException e) {
      throw failure(name, e);
    }
  }

  /**
   * Deletes a secret, or one value of it.
   *
   * @throws StorageException NOT_FOUND; INVALID; IO
   */
  public void delete(String name, Optional<String> key) throws StorageException {
    Path secret = secret(name);
    List<String> present = keys(name);
    if (key.isEmpty() ? present.isEmpty() : !present.contains(key.get())) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "secret "
              + name
              + key.map(k -> ", key " + checkedShape(k)).orElse("")
              + ": does not exist on this node");
    }
    try {
      for (String each : key.map(List::of).orElse(present)) {
        Files.deleteIfExists(secret.resolve(each));
      }
      if (keys(name).isEmpty()) {
        Files.deleteIfExists(secret);
      }
    } catch (IOException e) {
      throw failure(name, e);
    }
  }

  private static String checkedShape(String key) {
    return KEY.matcher(key).matches() ? key : "of another form";
  }

  /**
   * Returns the keys of all secrets by their names; values are not read.
   *
   * @throws StorageException FORBIDDEN, IO
   */
  public Map<String, List<String>> list() throws StorageException {
    Map<String, List<String>> found = new TreeMap<>();
    for (String name : entries(folder, NAME)) {
      List<String> keys = keys(name);
      if (!keys.isEmpty()) {
        found.put(name, keys);
      }
    }
    return found;
  }

  private List<String> keys(String name) throws StorageException {
    return entries(secret(name), KEY);
  }

  private static List<String> entries(Path directory, Pattern form) throws StorageException {
    List<String> names = new ArrayList<>();
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return names;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        String name = entry.getFileName().toString();
        if (form.matcher(name).matches()) {
          names.add(name);
        }
      }
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (DirectoryIteratorException e) {
      throw StorageException.io("secrets in " + directory, e.getCause());
    } catch (IOException e) {
      throw StorageException.io("secrets in " + directory, e);
    }
    Collections.sort(names);
    return names;
  }

  private Optional<byte[]> value(String name, String key) throws StorageException {
    Path file = file(name, key);
    try {
      PosixFileAttributes attributes =
          Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      if (!attributes.isRegularFile()) {
        throw new StorageException(
            ErrorCode.FORBIDDEN, "secret " + name + ": " + file + ": is not a plain file");
      }
      if (!OWNER.containsAll(attributes.permissions())) {
        throw new StorageException(
            ErrorCode.FORBIDDEN,
            "secret "
                + name
                + ": other users may use "
                + file
                + " ("
                + PosixFilePermissions.toString(attributes.permissions())
                + "): run 'chmod 600 "
                + file
                + "'");
      }
      return Optional.of(content(name, file));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw failure(name, e);
    }
  }

  private static byte[] content(String name, Path file) throws IOException, StorageException {
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      byte[] value = in.readNBytes(LARGEST + 1);
      if (value.length > LARGEST) {
        throw new StorageException(
            ErrorCode.INVALID, "secret " + name + ": " + file + ": has more than 1 MiB");
      }
      return value;
    }
  }

  private Path secret(String name) throws StorageException {
    if (!NAME.matcher(name).matches()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "name of a secret: expected at most 63 lower-case letters, digits, dashes and dots");
    }
    return folder.resolve(name);
  }

  private Path file(String name, String key) throws StorageException {
    if (!KEY.matcher(key).matches()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "secret "
              + name
              + ": key: expected at most 253 letters, digits, dashes, dots and underscores, such as"
              + " AWS_ACCESS_KEY_ID");
    }
    return secret(name).resolve(key);
  }

  private static StorageException failure(String name, IOException cause) {
    return StorageException.io("secret " + name, cause);
  }
}
