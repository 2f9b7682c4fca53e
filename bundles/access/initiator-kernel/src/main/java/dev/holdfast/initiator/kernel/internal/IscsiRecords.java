package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The files of open-iscsi that this initiator reads and writes directly. It writes secrets into the
 * record of a target, because other accounts can see the arguments of {@code iscsiadm}.
 *
 * @param configuration {@code /etc/iscsi} on a host
 * @param records the possible folders of target records, which depend on the release of open-iscsi
 */
record IscsiRecords(Path configuration, List<Path> records) {
  private static final String SETTING = "node.session.auth.";
  private static final String METHOD = SETTING + "authmethod";

  /** Returns the files of this host. */
  static IscsiRecords ofHost() {
    return new IscsiRecords(
        Path.of("/etc/iscsi"),
        List.of(Path.of("/etc/iscsi/nodes"), Path.of("/var/lib/iscsi/nodes")));
  }

  Path nameFile() {
    return configuration.resolve("initiatorname.iscsi");
  }

  /** Returns the name of the host's initiator; empty if it has none. */
  Optional<String> name() throws StorageException {
    return setting(nameFile(), "InitiatorName");
  }

  /** Returns whether an administrator configured secrets for all targets of this host. */
  boolean hasSecrets() throws StorageException {
    return setting(configuration.resolve("iscsid.conf"), METHOD)
        .filter(method -> method.startsWith("CHAP"))
        .isPresent();
  }

  private static Optional<String> setting(Path file, String key) throws StorageException {
    if (!Files.isReadable(file)) {
      return Optional.empty();
    }
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .map(line -> line.strip().split("\\s*=\\s*", 2))
          .filter(parts -> parts.length == 2 && parts[0].equals(key) && !parts[1].isEmpty())
          .map(parts -> parts[1])
          .reduce((earlier, later) -> later);
    } catch (IOException e) {
      throw StorageException.io("read " + file, e);
    }
  }

  /**
   * Writes secrets into the record of a target, which {@code iscsiadm} has created.
   *
   * @throws StorageException NOT_FOUND without a record; IO
   */
  void authenticate(Target target, InitiatorCredential credential) throws StorageException {
    List<Path> files = files(target);
    if (files.isEmpty()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          target.name() + ": open-iscsi keeps no record of the target below " + records);
    }
    for (Path file : files) {
      try {
        write(file, credential);
      } catch (IOException e) {
        throw StorageException.io("write " + file, e);
      }
    }
  }

  private static void write(Path file, InitiatorCredential credential) throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    lines.removeIf(line -> line.startsWith(SETTING));
    int end = lines.indexOf("# END RECORD");
    lines.addAll(
        end < 0 ? lines.size() : end,
        List.of(
            METHOD + " = CHAP",
            SETTING + "username = " + credential.initiator(),
            SETTING + "password = " + credential.chap(),
            SETTING + "username_in = " + InitiatorCredential.TARGET_USER,
            SETTING + "password_in = " + credential.chapOfTarget()));
    String text = String.join("\n", lines) + "\n";
    PrivateFiles.write(file, text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns the records of a target. A record is the file {@code
   * TARGET/ADDRESS,PORT[,GROUP][/INTERFACE]}.
   */
  private List<Path> files(Target target) throws StorageException {
    List<Path> found = new ArrayList<>();
    String portal = target.host() + "," + target.port();
    for (Path folder : records) {
      Path own = folder.resolve(target.name());
      if (!Files.isDirectory(own)) {
        continue;
      }
      try (Stream<Path> files = Files.walk(own)) {
        files
            .filter(Files::isRegularFile)
            .filter(file -> isOf(portal, own.relativize(file).getName(0).toString()))
            .forEach(found::add);
      } catch (IOException e) {
        throw StorageException.io("list " + own, e);
      }
    }
    return found;
  }

  private static boolean isOf(String portal, String name) {
    return name.equals(portal) || name.startsWith(portal + ",");
  }
}
