{#-
  Returns a statement of `create_streaming_query_sql` as a mapping of its clauses: `trigger`,
  `checkpoint`, `options`, `comment`, `target` and `query`.
-#}
{% macro definition_of(statement) -%}
  {%- set found = modules.re.fullmatch(
      '(?:\\s|/\\*(?:[^*]|\\*(?!/))*\\*/)*(create [^\\n]*(?:\\n(?!as )[^\\n]*)*)\\nas ([^\\n]*)\\n((?:.|\\n)*)',
      statement) -%}
  {%- if not found %}{{ return({'statement': statement}) }}{% endif -%}
  {%- set clauses = {'target': found.group(2), 'query': found.group(3) | trim} -%}
  {%- for line in found.group(1).split('\n')[1:] -%}
    {%- set clause = line.strip().partition(' ') -%}
    {%- do clauses.update({clause[0]: clause[2]}) -%}
  {%- endfor -%}
  {{ return(clauses) }}
{%- endmacro %}


{#-
  Returns what differs between two definitions, as mappings of `clause`, `before` and `now`.

  Args:
    shown: the statement as the server shows it, with secrets replaced.
    wanted: the statement of the model.
-#}
{% macro changes_of_definition(shown, wanted) -%}
  {%- set before = eddyline.definition_of(shown) -%}
  {%- set now = eddyline.definition_of(wanted) -%}
  {%- set changes = [] -%}
  {%- for clause in ['trigger', 'checkpoint', 'options', 'comment', 'target', 'query', 'statement'] -%}
    {%- if not eddyline.is_shown_as(before.get(clause, ''), now.get(clause, '')) -%}
      {%- do changes.append({'clause': clause, 'before': before.get(clause), 'now': now.get(clause)}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(changes) }}
{%- endmacro %}


{#- Returns whether a text of the server is this text, but for secrets and a comment at its end. -#}
{% macro is_shown_as(shown, text) -%}
  {%- set pieces = [] -%}
  {%- for piece in shown.split('*********(redacted)') %}{% do pieces.append(modules.re.escape(piece)) %}{% endfor -%}
  {%- set found = modules.re.match(pieces | join('(?:.|\\n)*?') ~ '(?=\\s*(?:--|/\\*|$))', text) -%}
  {{ return(found is not none and eddyline.is_comment(text[found.end():])) }}
{%- endmacro %}


{% macro raise_changed(name, changes) -%}
  {%- set lines = [] -%}
  {%- for change in changes -%}
    {%- if change.clause == 'query' %}
      {%- do lines.append('  query: see show create streaming query ' ~ adapter.quote(name)) -%}
    {%- else -%}
      {%- do lines.append(
          '  ' ~ change.clause ~ ': ' ~ (change.before or 'none') ~ '; now ' ~ (change.now or 'none')) -%}
    {%- endif -%}
  {%- endfor -%}
  {% do exceptions.raise_compiler_error(
      'The streaming query ' ~ name ~ ' has another definition than the model. What changed:\n'
      ~ lines | join('\n')
      ~ "\nTo continue from its checkpoint by the new definition, set on_change='replace'. "
      ~ 'To begin again with an empty table, run dbt with --full-refresh.') %}
{%- endmacro %}
