package dev.holdfast.host;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Devices of a host whose content is encrypted (LUKS2), by cryptsetup(8) and the kernel's dm-crypt.
 * A device is opened under a name, and is {@code /dev/mapper/NAME} then, smaller by the header of
 * 16 MiB. Stateless; calls for one device must not overlap.
 */
public final class LuksDevices {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Path MAPPER = Path.of("/dev/mapper");
  private static final int WRONG_PASSPHRASE = 2;
  private static final int INACTIVE = 4;
  private static final int SECTOR = 512;

  /** The offset as {@code cryptsetup status} prints it. */
  private static final Pattern SECTORS =
      Pattern.compile("^(\\d+) (?:sectors|\\[512-byte units\\])");

  /** Memory that RFC 9106 (section 4) recommends where memory is scarce: 64 MiB. */
  private static final String ARGON2_KIB = "65536";

  private final Host host;

  /** Creates access to the devices of a host. */
  public LuksDevices(Host host) {
    this.host = host;
  }

  /** Returns the device path of a mapping, whether it is open or not. */
  public String path(String name) {
    return MAPPER.resolve(name).toString();
  }

  /**
   * Returns whether a name is open on a device.
   *
   * @throws StorageException UNSUPPORTED when cryptsetup is missing; IO
   */
  public boolean isOpen(String name, String device) throws StorageException {
    return backing(name).filter(device::equals).isPresent()
        && host.files().exists(MAPPER.resolve(name));
  }

  /**
   * Opens an encrypted device. A device that is certainly blank is encrypted first. An open device
   * stays open; a mapping of that name on another or a removed device is closed.
   *
   * @param device such as {@code /dev/loop0}
   * @param readOnly whether writes are refused
   * @return path of the decrypted device
   * @throws StorageException FORBIDDEN when the passphrase is wrong; INVALID when the device has
   *     other content; BUSY when the name is in use for another device; UNSUPPORTED when cryptsetup
   *     or the kernel's part is missing; IO
   */
  public String open(String name, String device, LuksKey key, boolean readOnly)
      throws StorageException {
    if (isOpen(name, device)) {
      return path(name);
    }
    close(name);
    if (cryptsetup("isLuks", device).exitCode() != 0) {
      make(device, key, readOnly);
    }
    try (SecretFile passphrase = host.files().secret(key.value())) {
      ProgramResult opened = open(name, device, passphrase, readOnly);
      if (opened.exitCode() == WRONG_PASSPHRASE && key.previous().isPresent() && !readOnly) {
        change(device, key, passphrase);
        opened = open(name, device, passphrase, false);
      }
      require(opened, device);
    }
    return path(name);
  }

  private ProgramResult open(String name, String device, SecretFile passphrase, boolean readOnly)
      throws StorageException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "open",
                "--type",
                "luks",
                // Keeps a sparse volume sparse.
                "--allow-discards",
                // Without it, resizing requires the passphrase.
                "--disable-keyring",
                "--key-file",
                passphrase.path().toString()));
    if (readOnly) {
      command.add("--readonly");
    }
    command.addAll(List.of(device, name));
    return cryptsetup(command.toArray(String[]::new));
  }

  private void make(String device, LuksKey key, boolean readOnly) throws StorageException {
    new DeviceContent(host).requireBlank(device, "is not encrypted");
    if (readOnly) {
      throw new StorageException(
          ErrorCode.INVALID, device + " is blank, and cannot be made an encrypted one read-only");
    }
    try (SecretFile passphrase = host.files().secret(key.value())) {
      List<String> command =
          new ArrayList<>(
              List.of("luksFormat", "--batch-mode", "--type", "luks2", "--cipher", key.cipher()));
      command.addAll(List.of("--key-size", String.valueOf(key.bits())));
      command.addAll(slotOptions(key));
      command.addAll(List.of("--key-file", passphrase.path().toString(), device));
      require(cryptsetup(command.toArray(String[]::new)), device);
    }
  }

  /**
   * LUKS2 writes the new key slot before it wipes the old one, so a crash leaves at least one that
   * opens.
   */
  private void change(String device, LuksKey key, SecretFile passphrase) throws StorageException {
    try (SecretFile old = host.files().secret(key.previous().orElseThrow())) {
      List<String> command = new ArrayList<>(List.of("luksChangeKey", "--batch-mode"));
      command.addAll(slotOptions(key));
      command.addAll(
          List.of("--key-file", old.path().toString(), device, passphrase.path().toString()));
      require(cryptsetup(command.toArray(String[]::new)), device);
    }
  }

  /** Returns the key derivation options, for new devices and for changed passphrases. */
  static List<String> slotOptions(LuksKey key) {
    List<String> options = new ArrayList<>(List.of("--hash", key.hash(), "--pbkdf", key.pbkdf()));
    if (key.pbkdf().startsWith("argon2")) {
      options.addAll(List.of("--pbkdf-memory", ARGON2_KIB));
    }
    return options;
  }

  /**
   * Extends an open device to the size of the device below.
   *
   * @throws StorageException IO when it is not open
   */
  public void grow(String name) throws StorageException {
    require(cryptsetup("resize", name), path(name));
  }

  /**
   * Closes a device; succeeds when it is not open.
   *
   * @throws StorageException BUSY when it is in use; UNSUPPORTED when cryptsetup is missing; IO
   */
  public void close(String name) throws StorageException {
    if (backing(name).isPresent()) {
      ProgramResult closed = cryptsetup("close", name);
      if (closed.all().contains("still in use")) {
        throw new StorageException(ErrorCode.BUSY, path(name) + " is in use: " + closed.all());
      }
      require(closed, path(name));
    }
  }

  /** Returns the device below an open one, "(null)" when it was removed. */
  private Optional<String> backing(String name) throws StorageException {
    return status(name).map(lines -> field(lines, "device").orElse("(null)"));
  }

  /**
   * Place of the content of an open device.
   *
   * @param device the device below
   * @param offset offset of the content there in bytes
   */
  record Below(String device, long offset) {}

  /**
   * Returns the place of an open device's content; empty when it is not an open encrypted device.
   *
   * @throws StorageException UNSUPPORTED when cryptsetup is missing; IO
   */
  Optional<Below> below(String device) throws StorageException {
    Path path = Path.of(device);
    if (!MAPPER.equals(path.getParent())) {
      return Optional.empty();
    }
    Optional<String> lines = status(path.getFileName().toString());
    if (lines.flatMap(text -> field(text, "type")).filter(t -> t.startsWith("LUKS")).isEmpty()) {
      return Optional.empty();
    }
    Optional<String> lower = field(lines.get(), "device").filter(name -> name.startsWith("/"));
    Optional<Long> sectors =
        field(lines.get(), "offset")
            .map(SECTORS::matcher)
            .filter(Matcher::find)
            .map(found -> Long.parseLong(found.group(1)));
    return lower.isPresent() && sectors.isPresent()
        ? Optional.of(new Below(lower.get(), Math.multiplyExact(sectors.get(), SECTOR)))
        : Optional.empty();
  }

  /** Returns cryptsetup's status of a name; empty when it is not open. */
  private Optional<String> status(String name) throws StorageException {
    ProgramResult status = cryptsetup("status", name);
    if (status.exitCode() == INACTIVE) {
      return Optional.empty();
    }
    require(status, path(name));
    return Optional.of(status.output());
  }

  private static Optional<String> field(String lines, String name) {
    return lines
        .lines()
        .map(String::strip)
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst();
  }

  private ProgramResult cryptsetup(String... arguments) throws StorageException {
    List<String> command = new ArrayList<>();
    command.add(host.require("cryptsetup", "cryptsetup-bin"));
    command.addAll(List.of(arguments));
    return host.run(ProgramCall.of(LONG, command));
  }

  private static void require(ProgramResult result, String device) throws StorageException {
    if (result.exitCode() == WRONG_PASSPHRASE) {
      throw new StorageException(
          ErrorCode.FORBIDDEN, device + ": the passphrase does not open it; it is left as it is");
    }
    if (result.exitCode() != 0 && result.all().contains("device-mapper")) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "this host's kernel cannot encrypt devices: modprobe dm-crypt; " + result.all());
    }
    if (result.exitCode() != 0) {
      throw new StorageException(ErrorCode.IO, device + ": cryptsetup: " + result.all());
    }
  }
}
