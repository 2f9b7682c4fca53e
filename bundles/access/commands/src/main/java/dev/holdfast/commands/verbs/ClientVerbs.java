package dev.holdfast.commands.verbs;

import dev.holdfast.access.BlockClient;
import dev.holdfast.access.BlockClientSpec;
import dev.holdfast.access.ClientAccess;
import dev.holdfast.access.ClientCertificate;
import dev.holdfast.certificates.files.ClientCredential;
import dev.holdfast.client.BlockClients;
import dev.holdfast.commands.ClientViews;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.client.ClientFiles;
import dev.holdfast.commands.client.InitiatorSecrets;
import dev.holdfast.error.StorageException;
import dev.holdfast.secrets.SecretFolder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The verbs {@code client …}: clients on other hosts, and the volumes that they may use. */
final class ClientVerbs {
  private static final String DEFAULT_EXPIRY = "365d";
  private static final String DEFAULT_OVERLAP = "24h";

  private static final VerbArgument<String> NEW_NAME =
      VerbArgument.of("NAME", String.class, Candidates.NONE, "The client's name.");
  private static final VerbArgument<String> NAME =
      VerbArgument.of("NAME", String.class, Candidates.NONE, "The client's name.");
  private static final VerbOption<String> VOLUMES =
      VerbOption.of(
              "--volume",
              "VOLUME",
              String.class,
              Candidates.VOLUMES,
              "Volume that the client may use, or a pattern such as vm-*.")
          .times(VerbOption.Repetition.LIST)
          .given(VerbOption.Presence.REQUIRED);
  private static final VerbOption<Boolean> READ_ONLY =
      VerbOption.flag("--read-only", "Let the client only read.");
  private static final VerbOption<String> IQN =
      VerbOption.of("--iqn", "IQN", String.class, "Name of the client's iSCSI initiator.");
  private static final VerbOption<String> NQN =
      VerbOption.of("--nqn", "NQN", String.class, "Name of the client's NVMe host.");
  private static final VerbOption<String> EXPIRES =
      VerbOption.of(
              "--expires",
              "PERIOD",
              String.class,
              "Validity of the client's rights, such as 90d. Default: " + DEFAULT_EXPIRY + ".")
          .or(DEFAULT_EXPIRY);
  private static final VerbOption<String> OVERLAP =
      VerbOption.of(
              "--overlap",
              "PERIOD",
              String.class,
              "Period in which the earlier certificate stays valid. Default: "
                  + DEFAULT_OVERLAP
                  + ".")
          .or(DEFAULT_OVERLAP);
  private static final VerbOption<Path> OUTPUT =
      VerbOption.of(
              "--directory",
              "DIR",
              Path.class,
              Candidates.FILES,
              "Directory that receives the credentials.")
          .given(VerbOption.Presence.REQUIRED);

  static final List<Verb> ALL =
      List.of(
          new Verb(
              "client add",
              List.of(NEW_NAME),
              List.of(VOLUMES, READ_ONLY, IQN, NQN, EXPIRES, OUTPUT),
              """
              Let a client on another host use volumes, and write its credentials.
              NBD: a certificate for TLS. With --iqn also a CHAP secret, with --nqn a key for NVMe.
              Secrets of initiators are kept on this host: set them on each node of the cluster.""",
              ClientVerbs::add),
          new Verb(
              "client list",
              List.of(),
              List.of(),
              "Show the clients and the volumes that they may use.",
              call ->
                  new ClientViews().list(clients(call).list(), call.context().clock().instant())),
          new Verb(
              "client rotate",
              List.of(NAME),
              List.of(OVERLAP, EXPIRES, OUTPUT),
              "Make a new certificate for a client. The earlier one ends after the overlap.",
              ClientVerbs::rotate),
          new Verb(
              "client remove",
              List.of(NAME),
              List.of(),
              "Remove a client: its sessions end within 5 s on all nodes.",
              ClientVerbs::remove));

  private ClientVerbs() {}

  private static BlockClients clients(VerbCall call) throws StorageException {
    return new BlockClients(call.context().store());
  }

  private static InitiatorSecrets secrets(VerbCall call) {
    return new InitiatorSecrets(SecretFolder.ofNode(call.context().data()));
  }

  private static Output add(VerbCall call) throws StorageException {
    String name = call.get(NEW_NAME);
    Instant now = call.context().clock().instant();
    Instant end = now.plus(Period.of(EXPIRES, call.get(EXPIRES)));
    ClientFiles files = ClientFiles.prepare(call.get(OUTPUT));
    ClientCredential credential = ClientCredential.create(name, now, end);
    BlockClientSpec spec =
        BlockClientSpec.EMPTY
            .withVolumes(call.all(VOLUMES))
            .withAccess(call.has(READ_ONLY) ? ClientAccess.READ_ONLY : ClientAccess.READ_WRITE)
            .withInitiators(
                Stream.of(call.value(IQN), call.value(NQN)).flatMap(Optional::stream).toList())
            .withCertificates(
                List.of(new ClientCertificate(credential.fingerprint(), Optional.empty())))
            .withExpiresAt(Optional.of(end));
    BlockClient client = clients(call).add(name, spec);
    files.write(credential, authority(call));
    List<String> hints = new ArrayList<>();
    hints.add(
        "NBD: nbds://HOST:10809/VOLUME?tls-certificates="
            + files.directory()
            + " (HOST and port: holdfast volume endpoint VOLUME --remote)");
    if (call.value(IQN).isPresent()) {
      files.write("chap", secrets(call).chap(name));
      hints.add("iSCSI: user and secret of CHAP are in " + files.directory().resolve("chap"));
    }
    if (call.value(NQN).isPresent()) {
      files.write("dhchap", secrets(call).dhchap(name));
      hints.add("NVMe: the key for --dhchap-secret is in " + files.directory().resolve("dhchap"));
    }
    return new ClientViews().written(client, files.directory(), hints);
  }

  private static Path authority(VerbCall call) {
    return call.context().data().resolve("tls").resolve("ca.crt");
  }

  private static Output rotate(VerbCall call) throws StorageException {
    String name = call.get(NAME);
    Instant now = call.context().clock().instant();
    Duration overlap = Period.of(OVERLAP, call.get(OVERLAP));
    Instant end = now.plus(Period.of(EXPIRES, call.get(EXPIRES)));
    BlockClient unused = clients(call).get(name);
    ClientFiles files = ClientFiles.prepare(call.get(OUTPUT));
    ClientCredential credential = ClientCredential.create(name, now, end);
    files.write(credential, authority(call));
    BlockClient rotated = clients(call).rotate(name, credential.fingerprint(), end, now, overlap);
    return new ClientViews().written(rotated, files.directory(), List.of());
  }

  private static Output remove(VerbCall call) throws StorageException {
    clients(call).remove(call.get(NAME));
    secrets(call).delete(call.get(NAME));
    return new ClientViews().removed(call.get(NAME));
  }
}
