package dev.holdfast.commands.verbs;

import dev.holdfast.commands.Output;
import dev.holdfast.commands.SecretViews;
import dev.holdfast.error.StorageException;
import dev.holdfast.secrets.SecretFolder;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The verbs {@code secret …} for secrets of the node on this host. They never show values. */
final class SecretVerbs {
  private static final VerbArgument<String> NAME =
      VerbArgument.of("NAME", String.class, Candidates.NONE, "The secret's name.");
  private static final VerbArgument<String> KEY =
      VerbArgument.of(
          "KEY", String.class, Candidates.NONE, "Name of the value, such as AWS_ACCESS_KEY_ID.");
  private static final VerbArgument<String> ONE_KEY =
      VerbArgument.of(
              "KEY", String.class, Candidates.NONE, "Name of the value. Default: all values.")
          .times(0, 1);
  private static final VerbOption<Path> FROM_FILE =
      VerbOption.of(
          "--from-file",
          "FILE",
          Path.class,
          Candidates.FILES,
          "File that holds the value. Default: the standard input.");

  static final List<Verb> ALL =
      List.of(
          new Verb(
              "secret set",
              List.of(NAME, KEY),
              List.of(FROM_FILE),
              """
              Set one value of a secret, read from the standard input or a file.
              The secret is kept on this host: set it on each node of the cluster.""",
              SecretVerbs::set),
          new Verb(
              "secret list",
              List.of(),
              List.of(),
              "Show the secrets of the node on this host and their keys, without values.",
              call -> new SecretViews().list(secrets(call).list())),
          new Verb(
              "secret delete",
              List.of(NAME, ONE_KEY),
              List.of(),
              "Delete a secret of the node on this host, or one of its values.",
              SecretVerbs::delete));

  private SecretVerbs() {}

  private static Output set(VerbCall call) throws StorageException {
    byte[] value = call.context().hiddenValue(call.value(FROM_FILE));
    secrets(call).set(call.get(NAME), call.get(KEY), value);
    return new SecretViews().set(call.get(NAME), call.get(KEY));
  }

  private static Output delete(VerbCall call) throws StorageException {
    Optional<String> key = call.value(ONE_KEY);
    secrets(call).delete(call.get(NAME), key);
    return new SecretViews().deleted(call.get(NAME), key);
  }

  private static SecretFolder secrets(VerbCall call) {
    return SecretFolder.ofNode(call.context().data());
  }
}
