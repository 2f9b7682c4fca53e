package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.BlockDevices;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The kernel's NVMe/TCP host, controlled by its fabrics device without a program. A controller is
 * identified by its subsystem's name, the device by the namespace's number.
 */
final class NvmeControllers implements Sessions {
  private static final int DEFAULT_PORT = 4420;
  private static final int NAMESPACE = 1;
  private static final Path FABRICS = Path.of("/dev/nvme-fabrics");
  private static final Path CONTROLLERS = Path.of("/sys/class/nvme");
  private static final String SECRET_OPTION = "dhchap_secret";
  private static final KernelModule MODULE =
      new KernelModule("nvme-tcp", Path.of("/sys/module/nvme_tcp"));

  /** A restarting node is back within seconds; the kernel keeps requests for ten minutes. */
  private static final String PATIENCE = "reconnect_delay=2,ctrl_loss_tmo=600";

  private final NvmeHost host = new NvmeHost(Path.of("/etc/nvme"));

  @Override
  public String name() {
    return "nvme-kernel";
  }

  @Override
  public String scheme() {
    return "nvme";
  }

  @Override
  public Target target(URI endpoint) throws StorageException {
    return Target.of(endpoint, DEFAULT_PORT, NAMESPACE);
  }

  @Override
  public Optional<String> obstacle() {
    if (!MODULE.present() || !Files.exists(FABRICS)) {
      return Optional.of("this kernel has no NVMe/TCP ('modprobe nvme-tcp' fails)");
    }
    if (!Files.isWritable(FABRICS)) {
      return Optional.of("no access to " + FABRICS + ": run as root");
    }
    return Optional.empty();
  }

  @Override
  public Optional<String> provableName(Target target) throws StorageException {
    boolean able = BlockDevices.attribute(FABRICS).filter(NvmeControllers::hasSecrets).isPresent();
    return able && host.secrets(target).isEmpty() ? host.provableName() : Optional.empty();
  }

  private static boolean hasSecrets(String options) {
    return options.contains(SECRET_OPTION);
  }

  @Override
  public void open(Target target, Optional<InitiatorCredential> credential)
      throws StorageException {
    String options =
        "transport=tcp,traddr=%s,trsvcid=%d,nqn=%s,%s%s"
                .formatted(
                    target.address(), target.port(), target.name(), PATIENCE, host.identity())
            + (credential.isPresent() ? secrets(credential.get()) : secrets(target));
    try (FileChannel fabrics = FileChannel.open(FABRICS, StandardOpenOption.WRITE)) {
      // One call, because the kernel connects during the write.
      fabrics.write(ByteBuffer.wrap(options.getBytes(StandardCharsets.US_ASCII)));
    } catch (IOException e) {
      throw new StorageException(
          code(e), "the kernel cannot connect to " + target.endpoint() + ": " + e.getMessage(), e);
    }
  }

  private static String secrets(InitiatorCredential credential) {
    return ",dhchap_secret="
        + credential.dhchap()
        + ",dhchap_ctrl_secret="
        + credential.dhchapOfController();
  }

  private String secrets(Target target) throws StorageException {
    String secrets = host.secrets(target);
    if (!secrets.isEmpty() && !takesSecrets()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "this kernel has no DH-HMAC-CHAP, but /etc/nvme/config.json has a secret for "
              + target.name());
    }
    return secrets;
  }

  /**
   * Returns whether the fabrics device lists the options for secrets; otherwise the kernel would
   * reject them.
   */
  private static boolean takesSecrets() {
    Optional<String> options = BlockDevices.attribute(FABRICS);
    return options.isEmpty() || hasSecrets(options.get());
  }

  private static ErrorCode code(IOException failure) {
    String told = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
    if (told.contains("refused") || told.contains("unreachable") || told.contains("no route")) {
      return ErrorCode.UNREACHABLE;
    }
    if (told.contains("required key") || told.contains("key was rejected")) {
      return ErrorCode.FORBIDDEN;
    }
    return told.contains("timed out") ? ErrorCode.TIMEOUT : ErrorCode.IO;
  }

  @Override
  public boolean isOpen(Target target) throws StorageException {
    return !controllers(target).isEmpty();
  }

  private static List<Path> controllers(Target target) throws StorageException {
    List<Path> found = new ArrayList<>();
    for (String name : BlockDevices.entries(CONTROLLERS, "nvme*")) {
      Path controller = CONTROLLERS.resolve(name);
      if (isOf(target, controller)) {
        found.add(controller);
      }
    }
    return found;
  }

  private static boolean isOf(Target target, Path folder) {
    return BlockDevices.attribute(folder.resolve("subsysnqn"))
        .filter(target.name()::equals)
        .isPresent();
  }

  /**
   * Returns the device. A path of a device with several paths is hidden and takes no I/O itself.
   */
  @Override
  public Optional<String> device(Target target) throws StorageException {
    for (String name : BlockDevices.named("nvme")) {
      if (isOf(target, Path.of("/sys/block", name, "device"))
          && is(name, "nsid", target.unit())
          && !is(name, "hidden", 1)) {
        return Optional.of("/dev/" + name);
      }
    }
    return Optional.empty();
  }

  private static boolean is(String name, String attribute, int value) {
    return BlockDevices.attribute(name, attribute)
        .filter(Integer.toString(value)::equals)
        .isPresent();
  }

  /**
   * Returns the paths to a target's subsystem, including those that the kernel tries to restore.
   */
  List<NvmePath> paths(Target target) throws StorageException {
    return controllers(target).stream().map(NvmePath::of).toList();
  }

  /** Removes one path; the device remains while another path exists. */
  void remove(NvmePath path) throws StorageException {
    tell(path.folder(), "delete_controller");
  }

  @Override
  public void close(Target target) throws StorageException {
    for (Path controller : controllers(target)) {
      tell(controller, "delete_controller");
    }
  }

  @Override
  public void rescan(Target target) throws StorageException {
    for (Path controller : controllers(target)) {
      tell(controller, "rescan_controller");
    }
  }

  private static void tell(Path controller, String attribute) throws StorageException {
    Path file = controller.resolve(attribute);
    try {
      Files.writeString(file, "1", StandardOpenOption.WRITE);
    } catch (IOException e) {
      if (Files.exists(controller)) {
        throw StorageException.io(file.toString(), e);
      }
    }
  }
}
