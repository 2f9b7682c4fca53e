package dev.holdfast.commands.verbs;

import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.error.StorageException;
import dev.holdfast.secrets.SecretFolder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** New secrets of a client for iSCSI and NVMe/TCP, which the node on this host keeps. */
final class InitiatorSecrets {
  private final SecretFolder secrets;

  InitiatorSecrets(SecretFolder secrets) {
    this.secrets = secrets;
  }

  private static String name(String client) {
    return "client-" + client;
  }

  /** Makes a CHAP secret and returns the lines for the user. */
  String chap(String client) throws StorageException {
    String secret = InitiatorCredential.newChapSecret();
    set(client, "CHAP_SECRET", secret);
    return "username = " + client + "\npassword = " + secret + "\n";
  }

  /** Makes a key for DH-HMAC-CHAP in the form of nvme-cli and returns it. */
  String dhchap(String client) throws StorageException {
    String text = InitiatorCredential.newDhchapKey();
    set(client, "DHCHAP_KEY", text);
    return text + "\n";
  }

  private void set(String client, String key, String value) throws StorageException {
    secrets.set(name(client), key, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Deletes the secrets of a client, if the node on this host has some. */
  void delete(String client) throws StorageException {
    if (secrets.list().containsKey(name(client))) {
      secrets.delete(name(client), Optional.empty());
    }
  }
}
