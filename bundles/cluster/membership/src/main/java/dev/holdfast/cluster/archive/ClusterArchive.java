package dev.holdfast.cluster.archive;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes the control plane of a cluster to one file: the store, the keys of the authority, the
 * credentials of the members, the secrets and the settings of the node that has the store. The file
 * is a ZIP archive of mode 0600 with a SHA-256 for each entry. It is not encrypted, and does not
 * contain volumes' data.
 */
public final class ClusterArchive {
  static final int FORMAT = 1;

  private final Path data;

  /**
   * Creates the archiver of a data directory.
   *
   * @param data state directory of a node, not null
   */
  public ClusterArchive(Path data) {
    this.data = data;
  }

  /**
   * Checks that the directory is that of a node with an embedded store.
   *
   * @throws StorageException UNSUPPORTED for a node whose store is elsewhere
   */
  public void requireStore() throws StorageException {
    if (Files.exists(data.resolve("cluster/kubeconfig"))
        || !Files.exists(data.resolve(ArchiveContent.STORE))) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          data
              + ": this node has no store of its own: run the command on the node that has the store"
              + " (node-1 unless it was changed), or back up the etcd or the Kubernetes cluster");
    }
  }

  /**
   * Writes the archive. The file gets its name when it is complete and durable.
   *
   * @param file to create, not null
   * @param store consistent copy of the store, not null
   * @param node name of the node, not null
   * @param now time of the archive, not null
   * @throws StorageException ALREADY_EXISTS; UNSUPPORTED for a node whose store is elsewhere; IO,
   *     NO_SPACE
   */
  public void write(Path file, Path store, String node, Instant now) throws StorageException {
    requireStore();
    if (Files.exists(file)) {
      throw new StorageException(ErrorCode.ALREADY_EXISTS, file + " exists: choose another name");
    }
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try {
      Files.deleteIfExists(part);
      Files.createFile(
          part, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
        writeEntries(Channels.newOutputStream(channel), store, node, now);
        channel.force(true);
      }
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      part.toFile().delete();
      throw StorageException.io("write " + file, e);
    }
  }

  private void writeEntries(OutputStream target, Path store, String node, Instant now)
      throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode manifest = mapper.createObjectNode();
    manifest.put("format", FORMAT).put("node", node).put("madeAt", now.toString());
    ObjectNode sums = manifest.putObject("files");
    // The channel stays open: closing the archive must not close the channel before it is synced.
    ZipOutputStream zip = new ZipOutputStream(target);
    sums.put(ArchiveContent.STORE, add(zip, ArchiveContent.STORE, store));
    for (Path file : files()) {
      String name = data.relativize(file).toString();
      sums.put(name, add(zip, name, file));
    }
    zip.putNextEntry(new ZipEntry(ArchiveContent.MANIFEST));
    zip.write(mapper.writeValueAsBytes(manifest));
    zip.closeEntry();
    zip.finish();
  }

  private List<Path> files() throws IOException {
    Set<Path> roots =
        Set.copyOf(
            ArchiveContent.ENTRIES.stream()
                .filter(entry -> !entry.equals("store"))
                .map(data::resolve)
                .filter(Files::exists)
                .toList());
    List<Path> found = new ArrayList<>();
    for (Path root : roots) {
      try (Stream<Path> below = Files.walk(root)) {
        below
            .filter(Files::isRegularFile)
            .filter(file -> !file.startsWith(data.resolve(ArchiveContent.DERIVED)))
            .forEach(found::add);
      }
    }
    found.sort(null);
    return found;
  }

  private static String add(ZipOutputStream zip, String name, Path file) throws IOException {
    MessageDigest digest = sha256();
    zip.putNextEntry(new ZipEntry(name));
    // Not closed: closing it would end the archive.
    DigestOutputStream counted = new DigestOutputStream(zip, digest);
    Files.copy(file, counted);
    zip.closeEntry();
    return HexFormat.of().formatHex(digest.digest());
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
