package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.certificates.files.InitiatorFolder;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.ClientRefusal;
import dev.holdfast.frontend.ClientRights;
import dev.holdfast.frontend.ClientSecret;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import dev.holdfast.portal.SocketPortal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Serves a volume to the kernel of a virtual machine, by the secrets in a folder of both. */
final class NodeSecrets implements ClientDirectory {
  static final String SECURED = "SECURED";
  static final String FOLDER = "SECRETS";

  private final InitiatorFolder folder;

  private NodeSecrets(Path folder) {
    this.folder = new InitiatorFolder(folder);
  }

  /** Runs classes in one guest, which finds both endpoints in its environment. */
  static String run(FrontendProvider frontend, List<Class<?>> tests, Path folder, String... options)
      throws Exception {
    try (SocketPortal portal =
        VirtualMachine.portal(frontend, Map.of("holdfast.frontend.authentication", "required"))) {
      portal.arrived(new NodeSecrets(folder.resolve("secrets")));
      Map<String, String> variables = new TreeMap<>();
      variables.put(FOLDER, folder.resolve("secrets").toString());
      variables.put(
          SECURED,
          portal
              .publish(frontend.name(), "secured", new MemoryBlockDevice((int) GuestFixture.BYTES))
              .endpoint()
              .toString());
      List<String> all = new ArrayList<>(List.of(options));
      all.addAll(List.of("-s", folder.toString()));
      return VirtualMachine.run(frontend, tests, variables, folder, all.toArray(String[]::new));
    }
  }

  @Override
  public boolean ready() {
    return true;
  }

  @Override
  public Optional<ClientRights> rights(ClientIdentity identity) {
    return identity.type() == ClientIdentity.Type.INITIATOR
        ? Optional.of(new ClientRights("guest", "secured"::equals, false))
        : Optional.empty();
  }

  @Override
  public Map<String, ClientRights> initiators(String export) {
    return Map.of();
  }

  @Override
  public boolean isOpen(String export) {
    return false;
  }

  @Override
  public Optional<ClientSecret> secret(ClientSecret.Kind kind, String initiator) {
    return Optional.empty();
  }

  @Override
  public Optional<ClientSecret> secret(ClientSecret.Kind kind, String initiator, String export)
      throws StorageException {
    return folder
        .read(export)
        .filter(found -> found.initiator().equals(initiator))
        .flatMap(found -> secret(kind, found));
  }

  private static Optional<ClientSecret> secret(ClientSecret.Kind kind, InitiatorCredential found) {
    return switch (kind) {
      case CHAP ->
          Optional.of(
              new ClientSecret(found.initiator(), found.chap(), Optional.of(found.chapOfTarget())));
      case DHCHAP ->
          Optional.of(
              new ClientSecret(
                  found.initiator(), found.dhchap(), Optional.of(found.dhchapOfController())));
      case TLS -> Optional.empty();
    };
  }

  @Override
  public void refused(ClientRefusal refusal) {
    System.out.println("refused: " + refusal.message());
  }
}
