package dev.holdfast.commands.verbs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.certificates.files.MemberCredential;
import dev.holdfast.client.SupportPaths;
import dev.holdfast.cluster.ClusterRotation;
import dev.holdfast.cluster.archive.ClusterArchive;
import dev.holdfast.cluster.archive.ClusterRestore;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.RotationViews;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The verbs {@code cluster …} for a cluster whose store is embedded in a node. */
final class ClusterVerbs {
  private static final VerbArgument<Path> TO =
      VerbArgument.of("FILE", Path.class, Candidates.FILES, "The archive; must not exist.");
  private static final VerbArgument<Path> FROM =
      VerbArgument.of("FILE", Path.class, Candidates.FILES, "An archive of 'cluster backup'.");
  private static final VerbOption<Boolean> REPLACE =
      VerbOption.flag(
          "--replace", "Move the state that the directory has to before-restore-TIME in it.");

  private static final VerbArgument<AuthorityAction> ACTION =
      VerbArgument.of(
          "ACTION",
          AuthorityAction.class,
          Candidates.NONE,
          "Step of the rotation: rotate, status or finish.");
  private static final VerbOption<Boolean> FORCE =
      VerbOption.flag(
          "--force",
          "Continue without nodes that have not reported for 3 min; they must join again.");

  static final List<Verb> ALL =
      List.of(
          new Verb(
              "cluster backup",
              List.of(TO),
              List.of(),
              """
              Write the control plane of the cluster to a file of mode 0600: the store, the keys of \
              the authority, credentials of nodes, secrets and settings of this node.
              Runs on the node that has the store, while it runs. The file is not encrypted: who \
              has it controls the cluster. It has no content of volumes.""",
              ClusterVerbs::backUp),
          new Verb(
              "cluster restore",
              List.of(FROM),
              List.of(REPLACE),
              """
              Restore the control plane in the directory of a node that is stopped, which becomes \
              the node that has the store.
              After it broke off, the same command continues. Start the node with 'holdfast up'.""",
              ClusterVerbs::restore),
          new Verb(
              "cluster authority",
              List.of(ACTION),
              List.of(FORCE),
              """
              Replace the authority that signs the certificates of the nodes: rotate, status, finish.
              'rotate' has all nodes trust a new one and get certificates of it, which takes a \
              minute; 'status' names the nodes that it waits for. Both are trusted until 'finish'.
              Before 'finish', give clients on other hosts the file tls/ca.crt of a node as their \
              ca-cert.pem, and users the present 'holdfast kubeconfig'.""",
              ClusterVerbs::authority));

  private ClusterVerbs() {}

  /** Step in the replacement of the authority. */
  enum AuthorityAction {
    ROTATE,
    STATUS,
    FINISH;

    /** Returns the name on the command line. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static Output authority(VerbCall call) throws StorageException {
    ClusterRotation rotation = call.context().cluster().rotation();
    boolean force = call.has(FORCE);
    AuthorityAction action = call.get(ACTION);
    if (force && action == AuthorityAction.STATUS) {
      throw new WrongUse("--force is for 'rotate' and 'finish'");
    }
    return new RotationViews()
        .status(
            switch (action) {
              case ROTATE -> rotation.rotate(force);
              case STATUS -> rotation.status();
              case FINISH -> rotation.finish(force);
            });
  }

  private static Output backUp(VerbCall call) throws StorageException {
    VerbContext context = call.context();
    Path file = call.get(TO).toAbsolutePath();
    ClusterArchive archive = new ClusterArchive(context.data());
    archive.requireStore();
    if (context.pid().isEmpty()) {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          "the node does not run, and copies its store itself: start it with 'holdfast up', or"
              + " copy its whole directory "
              + context.data()
              + " without disks");
    }
    Path copy = file.resolveSibling(file.getFileName() + ".store");
    delete(copy);
    try {
      context.receiveDocument(copy, SupportPaths.STORE_COPY);
      archive.write(file, copy, node(context), context.clock().instant());
    } finally {
      delete(copy);
    }
    return output(
        file, file + ": made; keep it where only administrators of the cluster can read it");
  }

  private static String node(VerbContext context) throws StorageException {
    return MemberCredential.nodeOf(context.data()).orElse("");
  }

  private static Output restore(VerbCall call) throws StorageException {
    VerbContext context = call.context();
    if (context.pid().isPresent()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "the node of "
              + context.data()
              + " runs (pid "
              + context.pid().getAsLong()
              + "): stop it with 'holdfast down', or name another directory by --data");
    }
    Path file = call.get(FROM).toAbsolutePath();
    Optional<Path> aside =
        new ClusterRestore(context.data()).run(file, call.has(REPLACE), context.clock().instant());
    return output(
        context.data(),
        context.data()
            + ": restored; start the node with 'holdfast up'"
            + aside.map(kept -> "\nThe former state is in " + kept).orElse(""));
  }

  private static void delete(Path file) throws StorageException {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  private static Output output(Path file, String text) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("file", file.toString());
    return new Output(() -> text, () -> json);
  }
}
