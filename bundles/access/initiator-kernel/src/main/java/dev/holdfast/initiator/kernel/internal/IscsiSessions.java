package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.BlockDevices;
import dev.holdfast.initiator.HostProgram;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The kernel's iSCSI initiator, by {@code iscsiadm}. A session is identified by the target's name
 * and its original portal, the device by the logical unit. The settings of {@code iscsid.conf}
 * apply to these sessions too. CHAP secrets there have priority over those of this node.
 */
final class IscsiSessions implements Sessions {
  private static final String PACKAGE = "open-iscsi";
  private static final int DEFAULT_PORT = 3260;
  private static final Path SESSIONS = Path.of("/sys/class/iscsi_session");
  private static final Path CONNECTIONS = Path.of("/sys/class/iscsi_connection");
  private static final Path UNIX_SOCKETS = Path.of("/proc/net/unix");
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final KernelModule MODULE =
      new KernelModule("iscsi_tcp", Path.of("/sys/class/iscsi_transport/tcp"));

  // Exit codes of iscsiadm.
  private static final int TRANSPORT = 4;
  private static final int TIMED_OUT = 8;
  private static final int NO_SUCH_OBJECT = 21;
  private static final int NOT_AUTHENTICATED = 24;

  /** Time for which requests wait for an unreachable target, as long as those of an NBD device. */
  private static final int REPLACEMENT_SECONDS = 120;

  private final IscsiRecords files = IscsiRecords.ofHost();

  @Override
  public String name() {
    return "iscsi-kernel";
  }

  @Override
  public String scheme() {
    return "iscsi";
  }

  @Override
  public Target target(URI endpoint) throws StorageException {
    return Target.withUnit(endpoint, DEFAULT_PORT);
  }

  @Override
  public Optional<String> obstacle() {
    if (!MODULE.present()) {
      return Optional.of("this kernel has no iSCSI initiator ('modprobe iscsi_tcp' fails)");
    }
    if (HostProgram.find("iscsiadm").isEmpty()) {
      return Optional.of("iscsiadm is not installed: apt-get install " + PACKAGE);
    }
    if (!Files.isReadable(files.nameFile())) {
      return Optional.of(
          "no initiator's name can be read in "
              + files.nameFile()
              + ": run as root, or 'iscsi-iname' makes one");
    }
    return Optional.empty();
  }

  @Override
  public Optional<String> provableName(Target target) throws StorageException {
    return files.hasSecrets() ? Optional.empty() : files.name();
  }

  @Override
  public void open(Target target, Optional<InitiatorCredential> credential)
      throws StorageException {
    startDaemon();
    check(target, "--op", "new");
    set(target, "node.startup", "manual");
    set(target, "node.session.initial_login_retry_max", "1");
    set(target, "node.session.timeo.replacement_timeout", Integer.toString(REPLACEMENT_SECONDS));
    if (credential.isPresent()) {
      files.authenticate(target, credential.get());
    }
    check(target, "--login");
  }

  private static void set(Target target, String key, String value) throws StorageException {
    check(target, "--op", "update", "-n", key, "-v", value);
  }

  /** Starts the daemon. With systemd, its socket does this. */
  private static void startDaemon() throws StorageException {
    if (Files.isDirectory(Path.of("/run/systemd/system")) || daemonListens()) {
      return;
    }
    HostProgram.check(PATIENCE, List.of(HostProgram.require("iscsid", PACKAGE).toString()));
  }

  private static boolean daemonListens() throws StorageException {
    try {
      return Files.readString(UNIX_SOCKETS).contains("@ISCSIADM_ABSTRACT_NAMESPACE");
    } catch (IOException e) {
      throw StorageException.io(UNIX_SOCKETS.toString(), e);
    }
  }

  private static void check(Target target, String... words) throws StorageException {
    HostProgram.Result result = run(target, words);
    if (result.exitCode() != 0) {
      throw new StorageException(
          code(result.exitCode()),
          target.endpoint()
              + ": iscsiadm ends with "
              + result.exitCode()
              + ": "
              + result.output().replaceAll("\\s*\\R\\s*", "; "));
    }
  }

  private static ErrorCode code(int exitCode) {
    return switch (exitCode) {
      case TRANSPORT -> ErrorCode.UNREACHABLE;
      case TIMED_OUT -> ErrorCode.TIMEOUT;
      case NOT_AUTHENTICATED -> ErrorCode.FORBIDDEN;
      default -> ErrorCode.IO;
    };
  }

  private static HostProgram.Result run(Target target, String... words) throws StorageException {
    List<String> command = new ArrayList<>();
    command.add(HostProgram.require("iscsiadm", PACKAGE).toString());
    command.addAll(List.of("-m", "node", "-T", target.name(), "-p", target.portal()));
    command.addAll(List.of(words));
    return HostProgram.run(PATIENCE, command);
  }

  @Override
  public boolean isOpen(Target target) throws StorageException {
    return session(target).isPresent();
  }

  private static Optional<String> session(Target target) throws StorageException {
    for (String session : BlockDevices.entries(SESSIONS, "session*")) {
      Path named = SESSIONS.resolve(session).resolve("targetname");
      if (BlockDevices.attribute(named).filter(target.name()::equals).isPresent()
          && isTo(target, session.replaceFirst("session", "connection") + ":0")) {
        return Optional.of(session);
      }
    }
    return Optional.empty();
  }

  /**
   * Returns whether a session is to a target. The original address of a session remains even if the
   * target redirects it.
   */
  private static boolean isTo(Target target, String connection) {
    Path folder = CONNECTIONS.resolve(connection);
    Optional<String> address = BlockDevices.attribute(folder.resolve("persistent_address"));
    Optional<String> port = BlockDevices.attribute(folder.resolve("persistent_port"));
    return address.filter(target.host()::equals).isPresent()
        && port.filter(Integer.toString(target.port())::equals).isPresent();
  }

  @Override
  public Optional<String> device(Target target) throws StorageException {
    Optional<String> session = session(target);
    if (session.isEmpty()) {
      return Optional.empty();
    }
    Path device = SESSIONS.resolve(session.get()).resolve("device");
    for (String bus : BlockDevices.entries(device, "target*")) {
      for (String unit : BlockDevices.entries(device.resolve(bus), "*:" + target.unit())) {
        Path blocks = device.resolve(bus).resolve(unit).resolve("block");
        for (String block : BlockDevices.entries(blocks, "*")) {
          return Optional.of("/dev/" + block);
        }
      }
    }
    return Optional.empty();
  }

  @Override
  public void close(Target target) throws StorageException {
    if (isOpen(target)) {
      startDaemon();
      check(target, "--logout");
    }
    HostProgram.Result deleted = run(target, "--op", "delete");
    if (deleted.exitCode() != 0 && deleted.exitCode() != NO_SUCH_OBJECT) {
      throw new StorageException(
          ErrorCode.IO, target.endpoint() + ": its record stays: " + deleted.output());
    }
  }

  @Override
  public void rescan(Target target) throws StorageException {
    check(target, "--rescan");
  }
}
