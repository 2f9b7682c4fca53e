package dev.holdfast.host;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Headers of LUKS containers in files, by cryptsetup(8). Needs neither dm-crypt nor a loop device
 * nor root, because only the header is read and written; the caller encrypts the content with the
 * volume key. Stateless.
 */
public final class LuksHeaders {
  /** Bytes before the content of a container that {@link #create} makes. */
  public static final long OFFSET = 16L << 20;

  private static final Duration LONG = Duration.ofMinutes(5);
  private static final int SECTOR = 512;
  private static final int WRONG_PASSPHRASE = 2;

  /**
   * Maximum accepted memory for key derivation, which a header declares; cryptsetup's default is 1
   * GiB.
   */
  private static final long MOST_MEMORY_KIB = 1L << 20;

  private static final Pattern MEMORY = Pattern.compile("(?m)^\\s*Memory:\\s*(\\d+)");
  private static final Pattern SECTOR_SIZE = Pattern.compile("(?m)^\\s*sector:\\s*(\\d+) \\[bytes");
  private static final Pattern CIPHER = Pattern.compile("(?m)^Cipher name:\\s*(\\S+)");
  private static final Pattern MODE = Pattern.compile("(?m)^Cipher mode:\\s*(\\S+)");
  private static final Pattern PAYLOAD = Pattern.compile("(?m)^Payload offset:\\s*(\\d+)");
  private static final Pattern KEY = Pattern.compile("MK dump:\\s*((?:[0-9a-f]{2}\\s*)+)\\z");

  private final Host host;

  /** Creates access to the files of a host. */
  public LuksHeaders(Host host) {
    this.host = host;
  }

  /**
   * Creates the header of a new container (LUKS2), with a random volume key.
   *
   * @param file file longer than {@link #OFFSET} that becomes the header; its first bytes up to
   *     {@link #OFFSET} are those of the container
   * @param key key that opens it
   * @throws StorageException INVALID when cryptsetup does not know the key's cipher or hash;
   *     UNSUPPORTED when cryptsetup is missing; IO
   */
  public LuksVolumeKey create(Path file, LuksKey key) throws StorageException {
    List<String> command =
        new ArrayList<>(
            List.of("luksFormat", "--batch-mode", "--type", "luks2", "--cipher", key.cipher()));
    command.addAll(List.of("--key-size", String.valueOf(key.bits())));
    command.addAll(List.of("--sector-size", String.valueOf(SECTOR)));
    command.addAll(List.of("--offset", String.valueOf(OFFSET / SECTOR)));
    command.addAll(LuksDevices.slotOptions(key));
    try (SecretFile passphrase = host.files().secret(key.value())) {
      command.addAll(List.of("--key-file", passphrase.path().toString(), file.toString()));
      ProgramResult made = cryptsetup(command);
      if (made.exitCode() != 0) {
        throw new StorageException(
            ErrorCode.INVALID,
            "cryptsetup makes no LUKS header with cipher "
                + key.cipher()
                + ", hash "
                + key.hash()
                + " and a key of "
                + key.bits()
                + " bits: "
                + made.lastLines());
      }
    }
    return unlock(file, key.value()).orElseThrow();
  }

  /**
   * Opens the header of a container.
   *
   * @param file file that begins with the container's header
   * @param key key whose passphrase, or previous passphrase, opens the container
   * @return never null
   * @throws StorageException INVALID when the file is not a LUKS container, or when its keys need
   *     more than 1 GiB of memory; FORBIDDEN when the passphrase does not open it; UNSUPPORTED when
   *     cryptsetup is missing; IO
   */
  public LuksVolumeKey open(Path file, LuksKey key) throws StorageException {
    Optional<LuksVolumeKey> opened = unlock(file, key.value());
    if (opened.isEmpty() && key.previous().isPresent()) {
      opened = unlock(file, key.previous().get());
    }
    return opened.orElseThrow(
        () ->
            new StorageException(
                ErrorCode.FORBIDDEN, "the passphrase does not open the LUKS container"));
  }

  /** Returns the metadata of the header. */
  private String requireBounded(Path file) throws StorageException {
    ProgramResult dump = cryptsetup(List.of("luksDump", file.toString()));
    if (dump.exitCode() != 0) {
      throw new StorageException(
          ErrorCode.INVALID, "the content is not a LUKS container: " + dump.lastLines());
    }
    Matcher memory = MEMORY.matcher(dump.output());
    while (memory.find()) {
      if (memory.group(1).length() > 9 || Long.parseLong(memory.group(1)) > MOST_MEMORY_KIB) {
        throw new StorageException(
            ErrorCode.INVALID,
            "a key of the LUKS container needs "
                + memory.group(1)
                + " KiB of memory, at most "
                + MOST_MEMORY_KIB
                + " are used: convert it with 'cryptsetup luksConvertKey --pbkdf-memory 65536'");
      }
    }
    return dump.output();
  }

  /** Returns the volume key; empty when the passphrase is wrong. */
  private Optional<LuksVolumeKey> unlock(Path file, String passphrase) throws StorageException {
    int sectorSize = number(SECTOR_SIZE, requireBounded(file)).map(Math::toIntExact).orElse(SECTOR);
    try (SecretFile secret = host.files().secret(passphrase)) {
      ProgramResult dump =
          cryptsetup(
              List.of(
                  "luksDump",
                  "--batch-mode",
                  "--dump-volume-key",
                  "--key-file",
                  secret.path().toString(),
                  file.toString()));
      if (dump.exitCode() == WRONG_PASSPHRASE) {
        return Optional.empty();
      }
      Optional<String> name = text(CIPHER, dump.output());
      Optional<String> mode = text(MODE, dump.output());
      Optional<Long> offset = number(PAYLOAD, dump.output());
      Optional<String> hex = text(KEY, dump.output());
      if (dump.exitCode() != 0
          || name.isEmpty()
          || mode.isEmpty()
          || offset.isEmpty()
          || hex.isEmpty()) {
        throw new StorageException(
            ErrorCode.IO, "cryptsetup cannot read the LUKS header: " + dump.errors());
      }
      return Optional.of(
          new LuksVolumeKey(
              name.get() + "-" + mode.get(),
              HexFormat.of().parseHex(hex.get().replaceAll("\\s", "")),
              Math.multiplyExact(offset.get(), SECTOR),
              sectorSize));
    }
  }

  private static Optional<String> text(Pattern pattern, String lines) {
    Matcher found = pattern.matcher(lines);
    return found.find() ? Optional.of(found.group(1)) : Optional.empty();
  }

  private static Optional<Long> number(Pattern pattern, String lines) {
    return text(pattern, lines).filter(digits -> digits.length() < 16).map(Long::parseLong);
  }

  private ProgramResult cryptsetup(List<String> arguments) throws StorageException {
    List<String> command = new ArrayList<>();
    command.add(host.require("cryptsetup", "cryptsetup-bin"));
    command.addAll(arguments);
    return host.run(ProgramCall.of(LONG, command));
  }
}
