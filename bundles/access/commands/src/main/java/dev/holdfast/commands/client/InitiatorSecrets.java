package dev.holdfast.commands.client;

import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.error.StorageException;
import dev.holdfast.secrets.SecretFolder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** New secrets of a client for iSCSI and NVMe/TCP, which the node on this host keeps. */
public final class InitiatorSecrets {
  private final SecretFolder secrets;

  /**
   * Creates the secrets of clients.
   *
   * @param secrets of the node, not null
   */
  public InitiatorSecrets(SecretFolder secrets) {
    this.secrets = secrets;
  }

  private static String name(String client) {
    return "client-" + client;
  }

  /**
   * Creates a CHAP secret, and replaces an earlier one.
   *
   * @param client name of the client, not null
   * @return the lines for the user, never null
   * @throws StorageException when the secret cannot be stored
   */
  public String chap(String client) throws StorageException {
    String secret = InitiatorCredential.newChapSecret();
    set(client, "CHAP_SECRET", secret);
    return "username = " + client + "\npassword = " + secret + "\n";
  }

  /**
   * Creates a key for DH-HMAC-CHAP, and replaces an earlier one.
   *
   * @param client name of the client, not null
   * @return the key in the form of nvme-cli, never null
   * @throws StorageException when the key cannot be stored
   */
  public String dhchap(String client) throws StorageException {
    String text = InitiatorCredential.newDhchapKey();
    set(client, "DHCHAP_KEY", text);
    return text + "\n";
  }

  private void set(String client, String key, String value) throws StorageException {
    secrets.set(name(client), key, value.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Deletes the secrets of a client, if the node on this host has some.
   *
   * @param client name of the client, not null
   * @throws StorageException when they cannot be deleted
   */
  public void delete(String client) throws StorageException {
    if (secrets.list().containsKey(name(client))) {
      secrets.delete(name(client), Optional.empty());
    }
  }
}
