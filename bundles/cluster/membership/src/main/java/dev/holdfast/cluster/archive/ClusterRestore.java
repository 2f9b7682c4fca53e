package dev.holdfast.cluster.archive;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * Restores an archive into the data directory of a stopped node.
 *
 * <pre>
 *   restore.new     files of the archive, checked one by one
 *   restore.ready   all of them, durable: from here a repetition continues
 *   tls, cluster …  each entry moved into its place, the settings last
 * </pre>
 *
 * <p>{@code holdfast up} does not start a node while {@code restore.ready} exists.
 */
public final class ClusterRestore {
  private static final String DRAFT = "restore.new";
  private static final String READY = "restore.ready";

  private final Path data;

  /**
   * Restores into a data directory.
   *
   * @param data state directory of a stopped node; created when it is absent; not null
   */
  public ClusterRestore(Path data) {
    this.data = data;
  }

  /**
   * Restores an archive. After an interruption the same call continues.
   *
   * @param file an archive of {@link ClusterArchive}, not null
   * @param replace whether entries of another state are moved to {@code before-restore-TIME}
   * @param now time for that name, not null
   * @return directory with the replaced entries, empty without any
   * @throws StorageException NOT_FOUND; INVALID when the file is not such an archive or is damaged;
   *     ALREADY_EXISTS when the directory has a state and {@code replace} is false; IO, NO_SPACE
   */
  public Optional<Path> run(Path file, boolean replace, Instant now) throws StorageException {
    try {
      if (!Files.exists(data.resolve(READY))) {
        requireEmpty(replace);
        extract(file);
      }
      return place(now);
    } catch (ZipException e) {
      throw damaged(file, e.getMessage());
    } catch (IOException e) {
      throw StorageException.io("restore " + file + " into " + data, e);
    } catch (UncheckedIOException e) {
      throw StorageException.io("restore " + file + " into " + data, e.getCause());
    }
  }

  private void requireEmpty(boolean replace) throws StorageException {
    Optional<String> present =
        ArchiveContent.ENTRIES.stream()
            .filter(entry -> Files.exists(data.resolve(entry)))
            .findFirst();
    if (present.isPresent() && !replace) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS,
          data
              + " has the state of a node ("
              + present.get()
              + "): name an empty directory by --data, or move that state away by --replace");
    }
  }

  private void extract(Path file) throws StorageException, IOException {
    if (!Files.isRegularFile(file)) {
      throw new StorageException(ErrorCode.NOT_FOUND, file + " is not a file");
    }
    Path draft = data.resolve(DRAFT);
    PrivateFiles.createDirectory(data);
    delete(draft);
    PrivateFiles.createDirectory(draft);
    try (ZipFile zip = new ZipFile(file.toFile())) {
      JsonNode files = manifest(zip, file).path("files");
      for (Iterator<String> names = files.fieldNames(); names.hasNext(); ) {
        String name = names.next();
        if (!ArchiveContent.admits(name)) {
          throw damaged(file, "it names the file " + name);
        }
        extract(zip, file, name, files.path(name).asText(), draft.resolve(name));
      }
      if (!files.has(ArchiveContent.STORE)) {
        throw damaged(file, "it has no store");
      }
    }
    sync(draft);
    Files.move(draft, data.resolve(READY), StandardCopyOption.ATOMIC_MOVE);
    sync(data);
  }

  private static JsonNode manifest(ZipFile zip, Path file) throws StorageException, IOException {
    ZipEntry entry = zip.getEntry(ArchiveContent.MANIFEST);
    if (entry == null) {
      throw damaged(file, "it has no " + ArchiveContent.MANIFEST);
    }
    try (InputStream in = zip.getInputStream(entry)) {
      JsonNode manifest = new ObjectMapper().readTree(in);
      int format = manifest.path("format").asInt();
      if (format != ClusterArchive.FORMAT) {
        throw damaged(
            file, "its format is " + format + ", and this version reads " + ClusterArchive.FORMAT);
      }
      return manifest;
    }
  }

  private static void extract(ZipFile zip, Path file, String name, String sum, Path target)
      throws StorageException, IOException {
    ZipEntry entry = zip.getEntry(name);
    if (entry == null) {
      throw damaged(file, name + " is missing");
    }
    PrivateFiles.createDirectory(target.getParent());
    MessageDigest digest = ClusterArchive.sha256();
    try (DigestInputStream in = new DigestInputStream(zip.getInputStream(entry), digest);
        FileChannel channel =
            FileChannel.open(
                target,
                EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(
                    PosixFilePermissions.fromString("rw-------")))) {
      OutputStream out = Channels.newOutputStream(channel);
      in.transferTo(out);
      channel.force(true);
    }
    if (!HexFormat.of().formatHex(digest.digest()).equals(sum)) {
      throw damaged(file, name + " has another checksum than it had in the node");
    }
  }

  private Optional<Path> place(Instant now) throws IOException {
    Path ready = data.resolve(READY);
    Path aside = data.resolve("before-restore-" + now.getEpochSecond());
    for (String entry : ArchiveContent.ENTRIES) {
      Path source = ready.resolve(entry);
      Path target = data.resolve(entry);
      if (Files.exists(source)) {
        if (Files.exists(target)) {
          PrivateFiles.createDirectory(aside);
          Files.move(target, aside.resolve(entry), StandardCopyOption.ATOMIC_MOVE);
        }
        Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
        sync(data);
      }
    }
    delete(ready);
    sync(data);
    return Files.exists(aside) ? Optional.of(aside) : Optional.empty();
  }

  private static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> below = Files.walk(directory)) {
      List<Path> deepestFirst = below.sorted(Comparator.reverseOrder()).toList();
      for (Path path : deepestFirst) {
        Files.delete(path);
      }
    }
  }

  /** Makes the names of a directory and of its subdirectories durable. */
  private static void sync(Path directory) throws IOException {
    List<Path> directories;
    try (Stream<Path> below =
        Files.walk(directory, directory.endsWith(DRAFT) ? Integer.MAX_VALUE : 0)) {
      directories = below.filter(Files::isDirectory).toList();
    }
    for (Path each : directories) {
      try (FileChannel channel = FileChannel.open(each, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }

  private static StorageException damaged(Path file, String why) {
    return new StorageException(
        ErrorCode.INVALID,
        file
            + " cannot be restored: "
            + why
            + ": use another archive of 'holdfast cluster backup'");
  }
}
