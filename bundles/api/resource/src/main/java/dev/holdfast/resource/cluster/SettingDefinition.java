package dev.holdfast.resource.cluster;

import dev.holdfast.resource.Quantity;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Name, form and default of a setting. Immutable. The bundle that reads the setting uses the
 * methods of this type, so that the default replaces a missing, empty or invalid value everywhere.
 *
 * @param name of the {@link Setting}, not null
 * @param type form of the value, not null
 * @param defaultValue default value, in force unless a valid value is set; empty only for {@link
 *     SettingType#TEXT}; not null
 * @param minimum least number or amount of bytes; 0 for other types
 * @param maximum largest number or amount of bytes; 0 for other types
 * @param choices allowed words of a choice; empty for other types, not null
 * @param pattern regular expression of a text, also valid in RE2; empty for other types, not null
 * @param form form of a text in words, such as {@code networks such as 10.1.0.0/16}; empty for
 *     other types, not null
 * @param unit of a number, such as {@code seconds}; may be empty, not null
 * @param description effect of the setting in one sentence for users, not null
 * @param volumeField field of a Volume that overrides the setting; may be empty, not null
 */
public record SettingDefinition(
    String name,
    SettingType type,
    String defaultValue,
    long minimum,
    long maximum,
    List<String> choices,
    String pattern,
    String form,
    String unit,
    String description,
    String volumeField) {
  private static final Pattern NAME = Pattern.compile("[a-z0-9]+([-.][a-z0-9]+)*");
  private static final Pattern DIGITS = Pattern.compile("\\d{1,18}");

  /**
   * Copies the choices and checks the definition.
   *
   * @throws IllegalArgumentException with the setting and the problem
   */
  public SettingDefinition {
    Objects.requireNonNull(type, "type");
    choices = List.copyOf(choices);
    require(NAME.matcher(name).matches(), name, "the name must be of a-z, 0-9, '-' and '.'");
    require(!description.isBlank(), name, "a description is required");
    require(minimum <= maximum, name, "the minimum is larger than the maximum");
    require((type == SettingType.CHOICE) == (choices.size() > 1), name, "a choice needs two words");
    require(
        (type == SettingType.TEXT) == (!pattern.isEmpty() && !form.isEmpty()),
        name,
        "a text, and no other type, needs a pattern and its form in words");
    Pattern unused = Pattern.compile(pattern);
  }

  private static void require(boolean holds, String name, String problem) {
    if (!holds) {
      throw new IllegalArgumentException("setting " + name + ": " + problem);
    }
  }

  /** Returns a setting that is on or off; the parameters are those of the record, not null. */
  public static SettingDefinition flag(String name, boolean standard, String description) {
    return of(name, SettingType.FLAG, String.valueOf(standard), 0, 0, description);
  }

  /** Returns an integer setting; the parameters are those of the record, not null. */
  public static SettingDefinition number(
      String name, long standard, long minimum, long maximum, String unit, String description) {
    return of(name, SettingType.NUMBER, String.valueOf(standard), minimum, maximum, description)
        .withUnit(unit);
  }

  /** Returns a setting in bytes; the parameters are those of the record, not null. */
  public static SettingDefinition bytes(
      String name, String standard, long minimum, String description) {
    return of(name, SettingType.BYTES, standard, minimum, Long.MAX_VALUE, description);
  }

  /** Returns a choice whose default is the first word; the parameters are those of the record. */
  public static SettingDefinition choice(String name, List<String> choices, String description) {
    return new SettingDefinition(
        name, SettingType.CHOICE, choices.get(0), 0, 0, choices, "", "", "", description, "");
  }

  /** Returns a text setting without a default; the parameters are those of the record, not null. */
  public static SettingDefinition text(
      String name, String pattern, String form, String description) {
    return new SettingDefinition(
        name, SettingType.TEXT, "", 0, 0, List.of(), pattern, form, "", description, "");
  }

  /** Returns a text setting with a default; the parameters are those of the record, not null. */
  public static SettingDefinition text(
      String name, String pattern, String form, String description, String standard) {
    return new SettingDefinition(
        name, SettingType.TEXT, standard, 0, 0, List.of(), pattern, form, "", description, "");
  }

  private static SettingDefinition of(
      String name, SettingType type, String standard, long least, long most, String description) {
    return new SettingDefinition(
        name, type, standard, least, most, List.of(), "", "", "", description, "");
  }

  private SettingDefinition withUnit(String newUnit) {
    return new SettingDefinition(
        name,
        type,
        defaultValue,
        minimum,
        maximum,
        choices,
        pattern,
        form,
        newUnit,
        description,
        volumeField);
  }

  /** Returns this definition with the field of a Volume that overrides the setting, not null. */
  public SettingDefinition overriddenBy(String field) {
    return new SettingDefinition(
        name,
        type,
        defaultValue,
        minimum,
        maximum,
        choices,
        pattern,
        form,
        unit,
        description,
        field);
  }

  /** Returns the allowed values in words, for example {@code true or false}; never null. */
  public String allowed() {
    return switch (type) {
      case FLAG -> "true or false";
      case CHOICE ->
          String.join(", ", choices.subList(0, choices.size() - 1))
              + " or "
              + choices.get(choices.size() - 1);
      case NUMBER ->
          "a whole number from "
              + minimum
              + " to "
              + maximum
              + (unit.isEmpty() ? "" : " (" + unit + ")");
      case BYTES ->
          "an amount of bytes such as 100Mi" + (minimum == 0 ? ", or 0 for no limit" : "");
      case TEXT -> form;
    };
  }

  /**
   * Checks a value. An empty value is valid and means the default.
   *
   * @return the required form, empty if the value is valid
   */
  public Optional<String> fault(String value) {
    String text = value.strip();
    return text.isEmpty() || isValid(text) ? Optional.empty() : Optional.of("must be " + allowed());
  }

  private boolean isValid(String text) {
    return switch (type) {
      case FLAG -> text.equals("true") || text.equals("false");
      case CHOICE -> choices.contains(text);
      case NUMBER ->
          DIGITS.matcher(text).matches()
              && Long.parseLong(text) >= minimum
              && Long.parseLong(text) <= maximum;
      case BYTES -> isAmount(text);
      case TEXT -> text.matches(pattern);
    };
  }

  private boolean isAmount(String text) {
    try {
      return Quantity.parse(text).bytes() >= minimum;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * Returns the value in force for a setting, which may be absent, empty or invalid; never null.
   */
  public String effective(Optional<Setting> setting) {
    return setting
        .map(found -> found.spec().value().strip())
        .filter(text -> !text.isEmpty() && isValid(text))
        .orElse(defaultValue);
  }

  /** Returns whether a flag is on; the setting may be absent, empty or invalid. */
  public boolean isOn(Optional<Setting> setting) {
    return effective(setting).equals("true");
  }

  /** Returns the number in force; the setting may be absent, empty or invalid. */
  public long number(Optional<Setting> setting) {
    return Long.parseLong(effective(setting));
  }

  /** Returns the amount of bytes in force; the setting may be absent, empty or invalid. */
  public long bytes(Optional<Setting> setting) {
    return Quantity.parse(effective(setting)).bytes();
  }
}
