package dev.holdfast.certificates.internal;

import dev.holdfast.certificates.AuthorityRotation;
import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/**
 * Rotation of the authority in a directory of TLS files. Its own files are in {@code rotation}
 * below: {@code old.crt}, {@code new.crt}, {@code new.key}, {@code bridge.crt}, which the old
 * authority has signed for the key of the new one, and {@code step}. The step is written before the
 * files of the directory follow it; {@link #resume} has them follow after a crash.
 */
public final class RotationFiles implements AuthorityRotation {
  private static final String STEP = "step";
  private static final String OLD = "old.crt";
  private static final String NEW = "new.crt";
  private static final String NEW_KEY = "new.key";
  private static final String BRIDGE = "bridge.crt";

  /** Step that removes the old authority; it ends without a further request. */
  private static final String FINISH = "FINISH";

  private final Path directory;
  private final Clock clock;
  private final Disk disk;

  /** Uses the files of a directory; they are read when they are needed. */
  public RotationFiles(Path directory, Clock clock) {
    this(directory, clock, PrivateFiles::write);
  }

  /** Writes by {@code disk}. */
  RotationFiles(Path directory, Clock clock, Disk disk) {
    this.directory = directory;
    this.clock = clock;
    this.disk = disk;
  }

  /** Replaces a file in one step, durably. */
  interface Disk {
    void write(Path file, byte[] content) throws IOException;
  }

  /**
   * Files of the authority that signs now.
   *
   * @param bridge what follows its certificates so that peers which know only the old authority
   *     accept them; empty unless a new one signs
   */
  record Signer(Path certificate, Path key, String bridge) {}

  /** A change of the files. */
  private interface Change {
    void make() throws StorageException, IOException, GeneralSecurityException;
  }

  private void change(Change change) throws StorageException {
    try {
      change.make();
    } catch (IOException e) {
      throw StorageException.io("rotate the authority in " + directory, e);
    } catch (GeneralSecurityException e) {
      throw new StorageException(
          ErrorCode.INTERNAL,
          "the authority in " + directory + " cannot be rotated: " + e.getMessage(),
          e);
    }
  }

  private Path file(String name) {
    return directory.resolve("rotation").resolve(name);
  }

  private Path caCertificate() {
    return directory.resolve("ca.crt");
  }

  private Path caKey() {
    return directory.resolve("ca.key");
  }

  private Path certificate() {
    return directory.resolve("server.crt");
  }

  private Optional<String> recorded() throws StorageException {
    try {
      return Optional.of(Files.readString(file(STEP)).strip());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw StorageException.io("read " + file(STEP), e);
    }
  }

  @Override
  public synchronized Optional<Step> step() throws StorageException {
    Optional<String> recorded = recorded();
    try {
      return recorded.filter(step -> !step.equals(FINISH)).map(Step::valueOf);
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, file(STEP) + " has the unknown step " + recorded.orElse(""), e);
    }
  }

  @Override
  public synchronized void begin() throws StorageException {
    resume();
    if (step().isPresent()) {
      return;
    }
    change(
        () -> {
          prepare();
          record(Step.TRUST.name());
          follow();
        });
  }

  /** Makes the files of a rotation that has not begun; those of a broken attempt are replaced. */
  private void prepare() throws StorageException, IOException, GeneralSecurityException {
    if (!Files.exists(caKey())) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "this node cannot rotate the cluster's authority, because its key is not in " + caKey());
    }
    X509Certificate old = Pem.certificates(caCertificate()).get(0);
    PrivateKey oldKey = Pem.privateKey(caKey(), old);
    if (!NodeKeys.fits(oldKey, old)) {
      throw new StorageException(
          ErrorCode.INVALID, caKey() + " is not the key of " + caCertificate());
    }
    CertificateAuthority maker = new CertificateAuthority();
    KeyPair key = maker.newKey();
    byte[] made = maker.authority(key, clock.instant());
    X509Certificate next = Pem.certificates(ascii("CERTIFICATE", made), "the new authority").get(0);
    PrivateFiles.createDirectory(directory.resolve("rotation"));
    disk.write(file(OLD), Files.readAllBytes(caCertificate()));
    disk.write(file(NEW_KEY), Pem.encode("PRIVATE KEY", key.getPrivate().getEncoded()));
    disk.write(file(NEW), Pem.encode("CERTIFICATE", made));
    byte[] bridge = maker.bridge(old, oldKey, next, clock.instant());
    disk.write(file(BRIDGE), Pem.encode("CERTIFICATE", bridge));
  }

  private static String ascii(String label, byte[] der) throws IOException {
    return new String(Pem.encode(label, der), StandardCharsets.US_ASCII);
  }

  @Override
  public synchronized void sign() throws StorageException {
    if (step().isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID, "no rotation of the authority in " + directory + " runs: begin one");
    }
    change(
        () -> {
          record(Step.SIGN.name());
          follow();
        });
  }

  @Override
  public synchronized void finish() throws StorageException {
    if (step().filter(Step.TRUST::equals).isPresent()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "the old authority in " + directory + " still signs: have the new one sign first");
    }
    change(
        () -> {
          if (recorded().isPresent()) {
            record(FINISH);
            follow();
          }
        });
  }

  /** Completes the recorded step; does nothing where no rotation runs. */
  public synchronized void resume() throws StorageException {
    change(this::follow);
  }

  /** Returns the authority of the recorded step, which the files need not have followed yet. */
  static Signer signer(Path directory) throws StorageException {
    RotationFiles files = new RotationFiles(directory, Clock.systemUTC());
    if (files.step().filter(Step.SIGN::equals).isEmpty()) {
      return new Signer(files.caCertificate(), files.caKey(), "");
    }
    try {
      return new Signer(files.file(NEW), files.file(NEW_KEY), Files.readString(files.file(BRIDGE)));
    } catch (IOException e) {
      throw StorageException.io("read " + files.file(BRIDGE), e);
    }
  }

  private void record(String step) throws IOException {
    disk.write(file(STEP), step.getBytes(StandardCharsets.US_ASCII));
  }

  /** Makes the files of the directory those of the recorded step. */
  private void follow() throws StorageException, IOException, GeneralSecurityException {
    Optional<String> recorded = recorded();
    if (recorded.isEmpty()) {
      return;
    }
    if (recorded.get().equals(FINISH)) {
      write(disk, caCertificate(), Files.readString(file(NEW)));
      dropBridge(directory, disk);
      // The step goes first: what stays without it is replaced when the next rotation begins.
      for (String name : List.of(STEP, NEW_KEY, BRIDGE, OLD, NEW)) {
        Files.deleteIfExists(file(name));
      }
    } else if (step().filter(Step.TRUST::equals).isPresent()) {
      write(disk, caCertificate(), Files.readString(file(OLD)) + Files.readString(file(NEW)));
    } else {
      write(disk, caKey(), Files.readString(file(NEW_KEY)));
      write(disk, caCertificate(), Files.readString(file(NEW)) + Files.readString(file(OLD)));
      signOwn();
    }
  }

  private void signOwn() throws StorageException, GeneralSecurityException {
    X509Certificate authority = Pem.certificates(file(NEW)).get(0);
    X509Certificate own = Pem.certificates(certificate()).get(0);
    if (!TlsFiles.isSignedBy(own, authority)) {
      TlsFiles.renew(
          directory,
          TlsFiles.nodeOf(own)
              .orElseThrow(
                  () ->
                      new StorageException(
                          ErrorCode.INVALID,
                          certificate() + " is not the certificate of a node: replace it first")),
          TlsFiles.names(own),
          clock);
    }
  }

  /** Removes the certificate of the old authority from that of the node, which needs it no more. */
  static void dropBridge(Path directory, Disk disk) throws StorageException, IOException {
    Path certificate = directory.resolve("server.crt");
    List<X509Certificate> chain = Pem.certificates(certificate);
    X509Certificate authority = Pem.certificates(directory.resolve("ca.crt")).get(0);
    if (chain.size() > 1 && TlsFiles.isSignedBy(chain.get(0), authority)) {
      try {
        write(disk, certificate, ascii("CERTIFICATE", chain.get(0).getEncoded()));
      } catch (GeneralSecurityException e) {
        throw new StorageException(
            ErrorCode.INVALID, certificate + " cannot be used: " + e.getMessage(), e);
      }
    }
  }

  /** Writes a file unless it has this content. */
  private static void write(Disk disk, Path file, String content) throws IOException {
    if (!Files.exists(file) || !Files.readString(file).equals(content)) {
      disk.write(file, content.getBytes(StandardCharsets.US_ASCII));
    }
  }
}
