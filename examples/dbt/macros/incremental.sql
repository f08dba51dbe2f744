{% materialization incremental, adapter='spark', supported_languages=['sql', 'python'] %}
  {{ return(eddyline.materialization_incremental_spark()) }}
{% endmaterialization %}
