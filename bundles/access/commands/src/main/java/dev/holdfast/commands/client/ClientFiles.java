package dev.holdfast.commands.client;

import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.certificates.files.ClientCredential;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The directory for a client's credentials: mode 0700, files 0600.
 *
 * @param directory absolute path, not null
 */
public record ClientFiles(Path directory) {
  private static final String AUTHORITY = "ca-cert.pem";
  private static final String CERTIFICATE = "client-cert.pem";
  private static final String KEY = "client-key.pem";

  /**
   * Prepares a directory without credentials, and creates it if it is absent.
   *
   * @param directory not null
   * @return the directory, never null
   * @throws StorageException ALREADY_EXISTS; IO
   */
  public static ClientFiles prepare(Path directory) throws StorageException {
    Path absolute = directory.toAbsolutePath().normalize();
    for (String name : new String[] {CERTIFICATE, KEY, "chap", "dhchap"}) {
      if (Files.exists(absolute.resolve(name))) {
        throw new StorageException(
            ErrorCode.ALREADY_EXISTS,
            absolute.resolve(name) + " exists: choose another directory with --directory DIR");
      }
    }
    try {
      PrivateFiles.createDirectory(absolute);
    } catch (IOException e) {
      throw StorageException.io("create " + absolute, e);
    }
    return new ClientFiles(absolute);
  }

  /**
   * Writes the files that libnbd and QEMU expect in a directory of TLS credentials.
   *
   * @param credential certificate and key of the client, not null
   * @param authority file with the certificate of the cluster's authority, not null
   * @throws StorageException IO, NO_SPACE
   */
  public void write(ClientCredential credential, Path authority) throws StorageException {
    try {
      write(AUTHORITY, Files.readString(authority));
    } catch (IOException e) {
      throw StorageException.io("read " + authority, e);
    }
    write(CERTIFICATE, credential.certificate());
    write(KEY, credential.key());
  }

  /**
   * Writes one file, and replaces an existing one.
   *
   * @param name in the directory, not null
   * @param content not null
   * @throws StorageException IO, NO_SPACE
   */
  public void write(String name, String content) throws StorageException {
    try {
      PrivateFiles.write(directory.resolve(name), content.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw StorageException.io("write " + directory.resolve(name), e);
    }
  }
}
