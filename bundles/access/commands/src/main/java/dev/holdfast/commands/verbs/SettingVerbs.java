package dev.holdfast.commands.verbs;

import dev.holdfast.client.Settings;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.SettingViews;
import dev.holdfast.error.StorageException;
import java.util.List;

/** The verbs {@code setting …} for settings of the cluster. */
final class SettingVerbs {
  private static final VerbArgument<String> NAME =
      VerbArgument.of("NAME", String.class, Candidates.SETTINGS, "The setting's name.");
  private static final VerbArgument<String> VALUE =
      VerbArgument.of(
          "VALUE",
          String.class,
          Candidates.NONE,
          "The new value; 'setting explain' shows the allowed ones.");

  static final List<Verb> ALL =
      List.of(
          new Verb(
              "setting list",
              List.of(),
              List.of(),
              "Show the settings with their values, the values in force and the defaults.",
              call -> new SettingViews().list(settings(call).list())),
          new Verb(
              "setting get",
              List.of(NAME),
              List.of(),
              "Print the value in force of a setting.",
              call -> new SettingViews().value(settings(call).get(call.get(NAME)))),
          new Verb(
              "setting explain",
              List.of(NAME),
              List.of(),
              "Show what a setting does, its allowed values, and which nodes apply its value.",
              call -> new SettingViews().explanation(settings(call).get(call.get(NAME)))),
          new Verb(
              "setting set",
              List.of(NAME, VALUE),
              List.of(),
              "Set the value of a setting for the whole cluster.",
              SettingVerbs::set),
          new Verb(
              "setting unset",
              List.of(NAME),
              List.of(),
              "Restore the default of a setting.",
              call -> new SettingViews().changed(settings(call).set(call.get(NAME), ""))));

  private SettingVerbs() {}

  private static Settings settings(VerbCall call) throws StorageException {
    return new Settings(call.context().store());
  }

  private static Output set(VerbCall call) throws StorageException {
    String value = call.get(VALUE);
    if (value.isBlank()) {
      throw new WrongUse("VALUE is empty: 'setting unset NAME' restores the default");
    }
    return new SettingViews().changed(settings(call).set(call.get(NAME), value));
  }
}
